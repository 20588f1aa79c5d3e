//===- NameScope.cpp - Which variable a name means at a place -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/NameScope.h"
#include "commands/lvalues/DwarfTypes.h"
#include "commands/support/DebugNames.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

NameScope::NameScope(ArrayRef<DWARFDie> Inner)
    : Blocks(Inner.begin(), Inner.end()) {
  if (!Blocks.empty())
    Unit = declarationOf(Blocks.back()).getDwarfUnit()->getUnitDIE(false);
}

static bool isUnnamedSpace(DWARFDie D) {
  return D.getTag() == DW_TAG_namespace && !D.getShortName();
}

/// "ns::Class::" of what is declared in \p D.
static std::string insideOf(DWARFDie D) {
  const char *Name = D.getShortName();
  const bool Adds = Name && (isClass(D) || D.getTag() == DW_TAG_namespace);
  return scopeOf(D) + (Adds ? std::string(Name) + "::" : "");
}

/// Those that are called that from outside of all namespaces.
static NameScope::Entries called(const std::string &Name,
                                 const NameScope::Entries &All) {
  NameScope::Entries Found;
  for (const VariableIndex::Entry *E : All)
    if (E->Name == Name || E->Short == Name)
      Found.push_back(E);
  return Found;
}

static void addAll(NameScope::Entries &To, const NameScope::Entries &More) {
  for (const VariableIndex::Entry *E : More)
    if (!is_contained(To, E))
      To.push_back(E);
}

/// The file's own before those of others, of whose only what is not theirs
/// alone is seen.
NameScope::Entries NameScope::visible(Entries Found) const {
  Entries Own, Shared;
  for (const VariableIndex::Entry *E : Found) {
    if (Unit && E->Die.getDwarfUnit()->getUnitDIE(false) == Unit)
      Own.push_back(E);
    if (E->Die.findRecursively({DW_AT_external}) &&
        !isUnnamedSpace(declarationOf(E->Die).getParent()))
      Shared.push_back(E);
  }
  return Own.empty() ? Shared : Own;
}

NameScope::Entries NameScope::findGlobal(StringRef Name,
                                         const Entries &All) const {
  return visible(called(Name.str(), All));
}

/// What \p Class and, if it has none of that name, its bases have.
static NameScope::Entries ofClass(DWARFDie Class, StringRef Name,
                                  const NameScope::Entries &All,
                                  unsigned Depth) {
  constexpr unsigned MostDepth = 32; // damaged classes are their own bases
  auto Found = called(insideOf(Class) + Name.str(), All);
  if (!Found.empty() || Depth > MostDepth)
    return Found;
  for (DWARFDie C : Class.children())
    if (C.getTag() == DW_TAG_inheritance)
      if (DWARFDie Base = strippedType(typeOf(C)))
        addAll(Found, ofClass(Base, Name, All, Depth + 1));
  return Found;
}

NameScope::Entries NameScope::find(StringRef Name, const Entries &All) const {
  if (Blocks.empty())
    return findGlobal(Name, All);
  // Names of a "using namespace" are as if in what encloses both it and that
  // namespace.
  SmallVector<std::pair<std::string, std::string>> Used;
  auto addUsed = [&](DWARFDie In, const std::string &Scope) {
    Entries Declared;
    for (DWARFDie C : In.children()) {
      if (C.getTag() != DW_TAG_imported_module &&
          C.getTag() != DW_TAG_imported_declaration)
        continue;
      DWARFDie What = C.getAttributeValueAsReferencedDie(DW_AT_import);
      if (!What)
        continue;
      What = declarationOf(What);
      if (C.getTag() == DW_TAG_imported_module)
        Used.push_back({Scope, insideOf(What)});
      else if (const char *Its = What.getShortName(); Its && Name == Its)
        addAll(Declared, called(scopeOf(What) + Its, All));
    }
    return visible(Declared);
  };
  const DWARFDie Function = declarationOf(Blocks.back());
  for (DWARFDie B : Blocks)
    if (auto Found = addUsed(B, scopeOf(Function)); !Found.empty())
      return Found;
  unsigned Most = 64; // damaged debug information
  for (DWARFDie L = Function.getParent(); L && Most;
       L = L.getParent(), --Most) {
    const std::string Scope = insideOf(L);
    Entries Found;
    if (isClass(L)) {
      Found = ofClass(L, Name, All, 0);
    } else if (isUnnamedSpace(L)) {
      for (const VariableIndex::Entry *E : called(Scope + Name.str(), All))
        if (declarationOf(E->Die).getParent() == L)
          Found.push_back(E);
    } else if (L.getTag() == DW_TAG_namespace ||
               L.getTag() == DW_TAG_compile_unit) {
      Found = called(Scope + Name.str(), All);
      addAll(Found, addUsed(L, Scope));
      for (const auto &[From, Space] : Used)
        if (StringRef(From).starts_with(Scope) &&
            StringRef(Space).starts_with(Scope))
          addAll(Found, called(Space + Name.str(), All));
    }
    if (Found = visible(std::move(Found)); !Found.empty())
      return Found;
  }
  return {};
}

} // namespace rw
