//===- VariableIndex.cpp - Global variables of the images -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/VariableIndex.h"
#include "commands/lvalues/DwarfTypes.h"
#include "core/support/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// The address of a variable that always has the same.
static std::optional<uint64_t> fixedAddress(DWARFDie D) {
  auto Where = D.find(DW_AT_location);
  if (!Where)
    return std::nullopt;
  auto Block = Where->getAsBlock();
  DWARFUnit &U = *D.getDwarfUnit();
  if (!Block || Block->empty())
    return std::nullopt;
  DataExtractor Data(toStringRef(*Block), U.isLittleEndian(),
                     U.getAddressByteSize());
  uint64_t At = 1;
  switch (Block->front()) {
  case DW_OP_addr:
    if (Block->size() != 1u + U.getAddressByteSize())
      return std::nullopt;
    return Data.getUnsigned(&At, U.getAddressByteSize());
  case DW_OP_addrx:
  case DW_OP_GNU_addr_index: {
    auto A = U.getAddrOffsetSectionItem(uint32_t(Data.getULEB128(&At)));
    if (!A || At != Block->size())
      return std::nullopt;
    return A->Address;
  }
  default:
    return std::nullopt;
  }
}

void VariableIndex::add(DWARFDie Parent, const std::string &Scope,
                        bool InFunction, size_t Image, uint64_t Slide,
                        unsigned Depth) {
  constexpr unsigned MostDepth = 256;
  if (Depth > MostDepth)
    return;
  for (DWARFDie D : Parent.children())
    switch (D.getTag()) {
    case DW_TAG_member:
      // Before DWARF 5 a static member of a class was one.
      if (!D.find(DW_AT_external))
        break;
      [[fallthrough]];
    case DW_TAG_variable: {
      auto Addr = fixedAddress(D);
      const char *Name = D.getName(DINameKind::ShortName);
      if (!Name || (!Addr && InFunction))
        break;
      std::string Whose = Scope;
      // A member is declared in its class and defined elsewhere.
      DWARFDie Declared =
          D.getAttributeValueAsReferencedDie(DW_AT_specification);
      if (Declared)
        Whose = scopeOf(Declared);
      else
        Declared = D;
      Whose += Name;
      if (!Addr) {
        Unplaced.push_back({std::move(Whose), "", 0, D, false, Image});
        break;
      }
      std::string Short;
      if (!InFunction)
        Short = scopeOf(Declared, false) + Name;
      if (Short == Whose)
        Short.clear();
      Entries.push_back({std::move(Whose), std::move(Short), *Addr + Slide, D,
                         InFunction, Image});
      break;
    }
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: {
      const char *Name = D.getShortName();
      add(D, Name ? Scope + Name + "::" : Scope, InFunction, Image, Slide,
          Depth + 1);
      break;
    }
    case DW_TAG_subprogram: {
      const char *Name = D.getName(DINameKind::ShortName);
      add(D, Scope + (Name ? Name : "") + "::", true, Image, Slide, Depth + 1);
      break;
    }
    case DW_TAG_lexical_block:
    case DW_TAG_common_block:
      add(D, Scope, InFunction, Image, Slide, Depth + 1);
      break;
    default:
      break;
    }
}

VariableIndex::VariableIndex(ArrayRef<DwarfImage> Images) {
  for (size_t I = 0; I < Images.size(); ++I)
    for (const auto &Unit : Images[I].Dwarf->units())
      if (DWARFDie Entries = Images[I].Dwarf->entries(*Unit))
        add(Entries, "", false, I, Images[I].Slide, 0);
  llvm::stable_sort(
      Entries, [](const Entry &A, const Entry &B) { return A.Addr < B.Addr; });
}

/// Compilers differ in the blanks of template arguments, and so do users.
static std::string withoutBlanks(StringRef Name) {
  std::string Text;
  for (size_t I = 0; I < Name.size(); ++I)
    if (Name[I] != ' ' || (I && I + 1 < Name.size() && isWord(Name[I - 1]) &&
                           isWord(Name[I + 1])))
      Text += Name[I];
  return Text;
}

bool isSameName(StringRef A, StringRef B) {
  return A == B || (A.contains('<') && B.contains('<') &&
                    withoutBlanks(A) == withoutBlanks(B));
}

/// Whether \p Name is that of \p Whole, or its last words.
static bool endsWithName(StringRef Whole, StringRef Name) {
  if (Name.contains('<') && Name.size() <= Whole.size() + Name.count(' ')) {
    const std::string Long = withoutBlanks(Whole), Short = withoutBlanks(Name);
    return endsInName(Long, Short);
  }
  return endsInName(Whole, Name);
}

std::vector<const VariableIndex::Entry *>
VariableIndex::findUnplaced(StringRef Name) const {
  Name.consume_front("::");
  // What is declared somewhere may be defined elsewhere.
  std::vector<const Entry *> Defined, Declared;
  for (const Entry &E : Unplaced)
    if (endsWithName(E.Name, Name))
      (E.Die.find(DW_AT_declaration) && !E.Die.find(DW_AT_const_value)
           ? Declared
           : Defined)
          .push_back(&E);
  return Defined.empty() ? Declared : Defined;
}

std::vector<const VariableIndex::Entry *>
VariableIndex::find(StringRef Name) const {
  Name.consume_front("::");
  const bool Qualified = Name.contains("::");
  std::vector<const Entry *> Found;
  for (const Entry &E : Entries) {
    if ((endsWithName(E.Name, Name) || endsWithName(E.Short, Name)) &&
        (Qualified || !E.Local) &&
        none_of(Found, [&](const Entry *F) { return F->Addr == E.Addr; }))
      Found.push_back(&E);
  }
  return Found;
}

std::vector<const VariableIndex::Entry *>
VariableIndex::before(uint64_t Addr) const {
  auto End = llvm::upper_bound(
      Entries, Addr, [](uint64_t A, const Entry &E) { return A < E.Addr; });
  std::vector<const Entry *> Found;
  while (End != Entries.begin() &&
         (Found.empty() || std::prev(End)->Addr == Found.front()->Addr))
    Found.push_back(&*--End);
  return Found;
}

} // namespace rw
