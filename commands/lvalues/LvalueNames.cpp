//===- LvalueNames.cpp - What names mean at a place -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/lvalues/NameScope.h"
#include "commands/support/Format.h"
#include "commands/support/LocalPlaces.h"
#include "commands/support/NearNames.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/UnknownName.h"
#include "core/support/Printable.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

Error LvalueParser::findScopes() {
  if (std::exchange(ScopesFound, true))
    return Error::success();
  auto I = nextInstruction(S.Store, At);
  if (!I)
    return I.takeError();
  if (*I)
    findScopes((*I)->Insn.PC, At.Inlined);
  return Error::success();
}

void LvalueParser::findScopes(uint64_t At, std::optional<unsigned> Inlined) {
  ScopesFound = true;
  PC = At;
  for (Image = 0; Image < Source.images().size(); ++Image) {
    const DwarfImage &D = Source.images()[Image];
    LocalScopes Found = localScopes(*D.Dwarf, At - D.Slide, Inlined);
    if (!Found.Function)
      continue;
    Function = Found.Function;
    Unit = Function.getDwarfUnit()->getUnitDIE(false);
    Scopes = std::move(Found.Blocks);
    return;
  }
  Image = 0;
}

Expected<std::vector<std::string>> LvalueParser::locals() {
  if (Error E = findScopes())
    return E;
  return namesInScope();
}

std::vector<std::string> LvalueParser::namesInScope() const {
  std::vector<std::string> Names;
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children())
      if (D.getTag() == DW_TAG_variable ||
          D.getTag() == DW_TAG_formal_parameter)
        if (const char *Its = D.getName(DINameKind::ShortName))
          Names.push_back(Its);
  return Names;
}

Expected<Lvalue> LvalueParser::placed(DWARFDie Entry, DWARFDie In,
                                      size_t Where) {
  Lvalue L;
  L.Type = typeOf(Entry);
  if (!TypesOnly) {
    const DwarfImage &D = Source.images()[Where];
    FrameState Frame(S, At, PC, &D.Dwarf->context(), D.Slide);
    auto P = Frame.place(Entry, In);
    if (!P)
      return P.takeError();
    L.At = std::move(*P);
    if (In)
      L.At.Lives = Frame.lives(Entry, In, L.At);
  }
  // A reference is what it refers to.
  const DWARFDie T = strippedType(L.Type);
  if (T && (T.getTag() == DW_TAG_reference_type ||
            T.getTag() == DW_TAG_rvalue_reference_type))
    return pointee(L);
  return L;
}

/// Leaves of \p Found those that are in no scope.
static void keepGlobal(std::vector<const VariableIndex::Entry *> &Found,
                       StringRef Name) {
  llvm::erase_if(Found, [&](const VariableIndex::Entry *E) {
    return !isSameName(E->Name, Name) && !isSameName(E->Short, Name);
  });
}

/// The variable \p Name of the function; none if it has none.
DWARFDie LvalueParser::local(StringRef Name) const {
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children()) {
      if (D.getTag() != DW_TAG_variable &&
          D.getTag() != DW_TAG_formal_parameter)
        continue;
      const char *Its = D.getName(DINameKind::ShortName);
      if (Its && Name == Its && !D.find(DW_AT_declaration))
        return D;
    }
  return {};
}

/// In a member function, or a lambda that has captured it, `this`, and what
/// \p Name is in its object.
std::pair<DWARFDie, DwarfTypes::Members>
LvalueParser::thisWith(StringRef Name) const {
  // To C it is a name like any other.
  if (!Unit ||
      !isCPlusPlus(SourceLanguage(toUnsigned(Unit.find(DW_AT_language), 0))))
    return {};
  for (DWARFDie Scope : Scopes)
    for (DWARFDie D : Scope.children()) {
      const char *Its = D.getName(DINameKind::ShortName);
      if ((D.getTag() != DW_TAG_formal_parameter &&
           D.getTag() != DW_TAG_variable) ||
          !Its || StringRef(Its) != "this")
        continue;
      auto This = strippedType(typeOf(D));
      if (!This)
        break;
      if (Source.Types.hasMember(typeOf(This), Name))
        return {D, Source.Types.findMember(typeOf(This), Name)};
      break;
    }
  return {};
}

Expected<Lvalue> LvalueParser::variable(StringRef Name) {
  if (DWARFDie D = local(Name))
    return placed(D, Function, Image);
  if (DWARFDie This = thisWith(Name).first) {
    auto L = placed(This, Function, Image);
    if (!L)
      return L.takeError();
    auto To = pointee(*L);
    if (!To)
      return To.takeError();
    return member(std::move(*To), Name);
  }
  return global(Name);
}

bool LvalueParser::isLocal() {
  if (Error E = findScopes()) {
    consumeError(std::move(E));
    return false;
  }
  return local(Text) || thisWith(Text).first;
}

Expected<std::optional<uint64_t>> LvalueParser::fixed(uint64_t At,
                                                      unsigned Inlined) {
  findScopes(At, Inlined);
  if (local(Text))
    return std::nullopt;
  std::string Name = Text.str();
  const auto [This, Members] = thisWith(Text);
  if (This && Members.empty()) // it is a virtual base's
    return std::nullopt;
  if (Members.size() == 1) {
    const DWARFDie M = Members.front().Member;
    if (!DwarfTypes::isStatic(M))
      return std::nullopt;
    Name = "::" + scopeOf(M) + M.getShortName();
  }
  auto E = findGlobal(Name);
  if (!E)
    return E.takeError();
  return *E ? std::optional((*E)->Addr) : std::nullopt;
}

/// Null if no variable of that name has one address everywhere.
Expected<const VariableIndex::Entry *>
LvalueParser::findGlobal(StringRef Wanted) {
  StringRef Name = Wanted;
  const bool Outermost = Name.consume_front("::");
  Name = Name.ltrim();
  auto Found = Source.index().find(Name);
  const NameScope Scope(Scopes);
  bool InScope =
      Scope.unit() && Found.size() == 1 &&
      Found[0]->Die.getDwarfUnit()->getUnitDIE(false) == Scope.unit();
  if (Found.size() > 1)
    if (auto Meant =
            Outermost ? Scope.findGlobal(Name, Found) : Scope.find(Name, Found);
        !Meant.empty()) {
      Found = std::move(Meant);
      InScope = bool(Scope.unit());
    }
  if (Outermost)
    keepGlobal(Found, Name);
  if (Found.size() > 1) {
    std::string All;
    for (const VariableIndex::Entry *E : Found)
      All += (All.empty() ? "" : ", ") + E->Name + " at " + hex(E->Addr);
    return userError("'" + Wanted + "' is ambiguous: " + All);
  }
  // Files without debug information may have one of that name, too.
  if (Found.size() == 1 && S.Symbols && !InScope) {
    const auto Symbols = S.Symbols->findSymbol(Name);
    for (const DataSymbol &D : Symbols)
      if (D.Start != Found[0]->Addr)
        return userError("'" + Name + "' is ambiguous: " + D.Name + " at " +
                         hex(D.Start) + ", " + Found[0]->Name + " at " +
                         hex(Found[0]->Addr));
  }
  return Found.empty() ? nullptr : Found.front();
}

Expected<Lvalue> LvalueParser::global(StringRef Wanted) {
  auto One = findGlobal(Wanted);
  if (!One)
    return One.takeError();
  if (*One)
    return placed((*One)->Die, DWARFDie(), (*One)->Image);
  StringRef Name = Wanted;
  const bool Outermost = Name.consume_front("::");
  Name = Name.ltrim();
  // Those that are nowhere say why, or are constants, or their symbol tells.
  auto Found = Source.index().findUnplaced(Name);
  if (Outermost)
    keepGlobal(Found, Name);
  if (!Found.empty() && S.Symbols && !Found.front()->Die.find(DW_AT_location)) {
    const auto Symbols = S.Symbols->findSymbol(Name);
    if (Symbols.size() == 1) {
      Lvalue L;
      L.Type = typeOf(Found.front()->Die);
      L.At.Addr = Symbols.front().Start;
      return L;
    }
  }
  if (!Found.empty())
    return placed(Found.front()->Die, DWARFDie(), Found.front()->Image);
  NearNames Near(Name);
  if (Suggests) {
    for (const std::string &Its : namesInScope())
      Near.add(Its);
    Source.types().addEnumeratorsTo(Near);
    if (S.Symbols)
      Near.addSymbols(*S.Symbols);
  }
  // The last scope is the function, be it inlined in another, of which it sees
  // nothing.
  std::string In;
  if (const char *Its = Scopes.empty()
                            ? nullptr
                            : Scopes.back().getName(DINameKind::ShortName))
    In = "in '" + printable(Its) + "', the innermost function there";
  if (!PC)
    In = "at the end of the trace (--at asks from elsewhere)";
  return make_error<UnknownName>("'" + Name + "' is no variable " +
                                     (In.empty() ? "here" : In) +
                                     Near.question(),
                                 In);
}

/// A variable that a class declares.
Expected<Lvalue> LvalueParser::staticMember(DWARFDie Declared, size_t Where) {
  const std::string Name = scopeOf(Declared) + Declared.getShortName();
  for (const VariableIndex::Entry *E : Source.index().find(Name))
    if (E->Name == Name)
      return placed(E->Die, DWARFDie(), E->Image);
  return placed(Declared, DWARFDie(), Where);
}

} // namespace rw
