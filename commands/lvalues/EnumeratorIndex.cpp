//===- EnumeratorIndex.cpp - Names of the values of enums -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/EnumeratorIndex.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/NearNames.h"
#include "core/support/Words.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

EnumeratorIndex::EnumeratorIndex(ArrayRef<DwarfImage> Images) {
  for (const DwarfImage &I : Images)
    for (const auto &U : I.Dwarf->units())
      add(I.Dwarf->entries(*U), "", 0);
}

void EnumeratorIndex::add(DWARFDie Parent, const std::string &Scope,
                          unsigned Depth) {
  constexpr unsigned MostDepth = 64; // damaged debug information
  if (!Parent || Depth > MostDepth)
    return;
  for (DWARFDie D : Parent.children()) {
    const char *Name = D.getShortName();
    const std::string Inner = Name ? Scope + Name + "::" : Scope;
    switch (D.getTag()) {
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      add(D, Inner, Depth + 1);
      break;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      add(D, Scope, Depth + 1);
      break;
    case DW_TAG_enumeration_type:
      for (DWARFDie E : D.children()) {
        auto V = E.find(DW_AT_const_value);
        const char *Its = E.getShortName();
        if (E.getTag() != DW_TAG_enumerator || !V || !Its)
          continue;
        ByLast[Its].push_back(Entries.size());
        Entries.push_back({Inner + Its,
                           D.find(DW_AT_enum_class) ? "" : Scope + Its,
                           enumeratorValue(*V), D});
      }
      break;
    default:
      break;
    }
  }
}

/// "Its" of "ns::Its".
static StringRef lastPart(StringRef Name) {
  const size_t At = Name.rfind("::");
  return At == StringRef::npos ? Name : Name.drop_front(At + 2);
}

std::vector<const EnumeratorIndex::Entry *>
EnumeratorIndex::find(StringRef Name) const {
  Name.consume_front("::");
  std::vector<const Entry *> Found;
  for (const size_t I : ByLast.lookup(lastPart(Name)))
    if (const Entry &E = Entries[I];
        endsInName(E.Name, Name) || endsInName(E.Lent, Name))
      Found.push_back(&E);
  return Found;
}

void EnumeratorIndex::addTo(NearNames &Near) const {
  for (const Entry &E : Entries)
    Near.add(lastPart(E.Name));
}

} // namespace rw
