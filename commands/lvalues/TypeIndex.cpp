//===- TypeIndex.cpp - Names of types and of enumerators ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/TypeIndex.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/NearNames.h"
#include "core/support/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

bool isIntegerWord(StringRef W) {
  return is_contained({"unsigned", "signed", "char", "short", "long", "int"},
                      W);
}

/// The words of a type one after the other; those of a number as C has them
/// mostly.
static std::string joined(SmallVector<StringRef, 4> Words) {
  if (all_of(Words, isIntegerWord)) {
    if (!is_contained(Words, "char"))
      erase(Words, "signed");
    if (Words.size() > 1)
      erase(Words, "int");
    if (Words.empty())
      Words.push_back("int");
    // "unsigned" comes before "short", "signed" before "char".
    sort(Words, std::greater<StringRef>());
  }
  return join(Words, " ");
}

std::string spelling(StringRef Type) {
  std::string Text;
  SmallVector<StringRef, 4> Words;
  for (StringRef Rest = Type; !Rest.empty();) {
    if (const StringRef W = Rest.take_while(isWord); !W.empty()) {
      Words.push_back(W);
      Rest = Rest.drop_front(W.size());
      continue;
    }
    if (!isSpace(Rest.front())) {
      if (!Words.empty())
        Text += joined(std::exchange(Words, {}));
      Text += Rest.front();
    }
    Rest = Rest.drop_front();
  }
  return Words.empty() ? Text : Text + joined(Words);
}

/// "Its" of "ns<a::b>::Its".
static StringRef lastPart(StringRef Name) {
  unsigned Depth = 0;
  for (size_t I = Name.size(); I > 1; --I) {
    const char C = Name[I - 1];
    Depth += C == '>';
    Depth -= C == '<' && Depth;
    if (!Depth && C == ':' && Name[I - 2] == ':')
      return Name.drop_front(I);
  }
  return Name;
}

TypeIndex::TypeIndex(ArrayRef<DwarfImage> Images) {
  for (const DwarfImage &I : Images) {
    for (const auto &U : I.Dwarf->units())
      add(I.Dwarf->entries(*U), "", 0);
    for (DWARFUnit *U : I.Dwarf->typeUnits())
      add(I.Dwarf->entries(*U), "", 0);
  }
}

void TypeIndex::addType(DWARFDie Type, const std::string &Scope) {
  const char *Name = Type.getShortName();
  if (!Name)
    return;
  const std::string Its = spelling(Name);
  TypesByLast[Its].push_back(Types.size());
  Types.push_back({Scope + Its, Type});
}

void TypeIndex::add(DWARFDie Parent, const std::string &Scope, unsigned Depth) {
  constexpr unsigned MostDepth = 64; // damaged debug information
  if (!Parent || Depth > MostDepth)
    return;
  for (DWARFDie D : Parent.children()) {
    const char *Name = D.getShortName();
    const std::string Inner = Name ? Scope + spelling(Name) + "::" : Scope;
    switch (D.getTag()) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
      addType(D, Scope);
      add(D, Inner, Depth + 1);
      break;
    case DW_TAG_namespace:
      add(D, Inner, Depth + 1);
      break;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      add(D, Scope, Depth + 1);
      break;
    case DW_TAG_base_type:
    case DW_TAG_typedef:
      addType(D, Scope);
      break;
    case DW_TAG_enumeration_type:
      addType(D, Scope);
      for (DWARFDie E : D.children()) {
        auto V = E.find(DW_AT_const_value);
        const char *Its = E.getShortName();
        if (E.getTag() != DW_TAG_enumerator || !V || !Its)
          continue;
        EnumeratorsByLast[Its].push_back(Enumerators.size());
        Enumerators.push_back({Inner + Its,
                               D.find(DW_AT_enum_class) ? "" : Scope + Its,
                               enumeratorValue(*V), D});
      }
      break;
    default:
      break;
    }
  }
}

std::vector<const TypeIndex::Enumerator *>
TypeIndex::enumerators(StringRef Name) const {
  Name.consume_front("::");
  std::vector<const Enumerator *> Found;
  for (const size_t I : EnumeratorsByLast.lookup(lastPart(Name)))
    if (const Enumerator &E = Enumerators[I];
        endsInName(E.Name, Name) || endsInName(E.Lent, Name))
      Found.push_back(&E);
  return Found;
}

std::vector<const TypeIndex::Named *> TypeIndex::types(StringRef Name) const {
  Name.consume_front("::");
  const std::string Its = spelling(Name);
  std::vector<const Named *> Found;
  for (const size_t I : TypesByLast.lookup(lastPart(Its)))
    if (endsInName(Types[I].Name, Its))
      Found.push_back(&Types[I]);
  return Found;
}

void TypeIndex::addEnumeratorsTo(NearNames &Near) const {
  for (const Enumerator &E : Enumerators)
    Near.add(lastPart(E.Name));
}

void TypeIndex::addTypesTo(NearNames &Near) const {
  for (const Named &N : Types)
    Near.add(lastPart(N.Name));
}

} // namespace rw
