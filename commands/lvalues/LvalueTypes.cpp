//===- LvalueTypes.cpp - Types that expressions name ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/DebugNames.h"
#include "commands/support/DwarfAttributes.h"
#include "commands/support/NearNames.h"
#include "commands/support/UnknownName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFTypeUnit.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// Whether an entry of \p Unit names the type of \p Its, a type unit, or is
/// that unit's.
static bool refersTo(DebugInfo &Dwarf, DWARFUnit &Unit, DWARFUnit &Its) {
  if (&Unit == &Its || !Its.isTypeUnit())
    return &Unit == &Its;
  const uint64_t Hash = static_cast<DWARFTypeUnit &>(Its).getTypeHash();
  if (!Dwarf.entries(Unit))
    return false;
  for (unsigned I = 0; I < Unit.getNumDIEs(); ++I)
    for (auto A : {DW_AT_type, DW_AT_signature})
      if (auto V = Unit.getDIEAtIndex(I).find(A);
          V && V->getAsSignatureReference() == Hash)
        return true;
  return false;
}

/// \p Type, or, if it is only declared in its file, the structure of that name
/// that another one has.
DWARFDie LvalueParser::completed(DWARFDie Type) {
  const DWARFDie Its = strippedType(Type);
  const char *Name = Its && isClass(Its) ? Its.getShortName() : nullptr;
  if (!Name || !Its.find(DW_AT_declaration))
    return Type;
  auto Whole = namedType(scopeOf(Its) + Name, "struct");
  if (Whole && *Whole)
    return *Whole;
  consumeError(Whole.takeError());
  return Type;
}

/// The type that \p Name is called by at the place; none, if there is none.
Expected<DWARFDie> LvalueParser::namedType(StringRef Name, StringRef Keyword) {
  auto Found = Source.types().types(Name);
  llvm::erase_if(Found, [&](const TypeIndex::Named *N) {
    const DWARFDie T = inTypeUnit(N->Type);
    return T.find(DW_AT_declaration) ||
           (Keyword == "enum" ? T.getTag() != DW_TAG_enumeration_type
                              : !Keyword.empty() && !isClass(T));
  });
  auto keep = [&](auto Is) {
    auto Some = Found;
    llvm::erase_if(Some, [&](const TypeIndex::Named *N) { return !Is(*N); });
    if (!Some.empty())
      Found = std::move(Some);
  };
  // Those of the function's own blocks first, then of its scopes, from the
  // inside to the outside, and of its file.
  for (DWARFDie Block : Scopes)
    for (const TypeIndex::Named *N : Found)
      if (N->Type.getParent() == Block)
        return inTypeUnit(N->Type);
  keep([](const TypeIndex::Named &N) {
    DWARFDie D = N.Type;
    while (D && D.getTag() != DW_TAG_subprogram)
      D = D.getParent();
    return !D;
  });
  std::string Scope = Function ? scopeOf(declarationOf(Function)) : "";
  const std::string Its = spelling(StringRef(Name).ltrim(":"));
  for (bool InScope = false; !InScope;) {
    InScope = any_of(Found, [&](const TypeIndex::Named *N) {
      return N->Name == Scope + Its;
    });
    if (InScope)
      keep([&](const TypeIndex::Named &N) { return N.Name == Scope + Its; });
    if (Scope.empty())
      break;
    Scope.resize(Scope.size() - 2);
    const size_t Outer = Scope.rfind("::");
    Scope.resize(Outer == std::string::npos ? 0 : Outer + 2);
  }
  if (Unit)
    keep([&](const TypeIndex::Named &N) {
      return N.Type.getDwarfUnit()->getUnitDIE(false) == Unit;
    });
  // A unit of its own belongs to whoever refers to it.
  if (Unit && any_of(Found, [](const TypeIndex::Named *N) {
        return N->Type.getDwarfUnit()->isTypeUnit();
      }))
    keep([&](const TypeIndex::Named &N) {
      return refersTo(*Source.images()[Image].Dwarf, *Unit.getDwarfUnit(),
                      *N.Type.getDwarfUnit());
    });
  if (Found.empty())
    return DWARFDie();
  // Each file that includes a header has its types.
  auto isFirst = [&](const TypeIndex::Named *N) {
    const TypeIndex::Named &First = *Found.front();
    return N->Name == First.Name &&
           Source.Types.describe(N->Type)->Size ==
               Source.Types.describe(First.Type)->Size &&
           N->Type.getDeclLine() == First.Type.getDeclLine();
  };
  if (!all_of(Found, isFirst)) {
    std::vector<std::string> All;
    for (const TypeIndex::Named *N : Found) {
      std::string One = N->Name;
      if (const uint64_t Line = N->Type.getDeclLine())
        One += " at " +
               declaredIn(N->Type,
                          DILineInfoSpecifier::FileLineInfoKind::BaseNameOnly) +
               ":" + std::to_string(Line);
      if (!is_contained(All, One))
        All.push_back(std::move(One));
    }
    return userError("'" + Text + "': the type " + Name +
                     " is ambiguous: " + join(All, ", ") +
                     "; one is meant --at a place in its file");
  }
  return inTypeUnit(Found.front()->Type);
}

/// "struct task *", "const ns::Stack<int> **", what \p Closer follows, and
/// behind that, unless \p Alone, what is cast; nothing, and nothing consumed,
/// if that is no type.
Expected<std::optional<LvalueParser::CastTo>>
LvalueParser::castType(char Closer, bool Alone) {
  const StringRef Before = Rest;
  auto none = [&]() -> std::optional<CastTo> {
    Rest = Before;
    return std::nullopt;
  };
  SmallVector<StringRef, 4> Words;
  StringRef Keyword;
  for (;;) {
    skipSpace();
    const StringRef W = Rest.take_while(isWord);
    if (isIntegerWord(W))
      Words.push_back(W);
    else if (is_contained({"struct", "class", "union", "enum"}, W))
      Keyword = W;
    else if (W != "const" && W != "volatile")
      break;
    Rest = Rest.drop_front(W.size());
  }
  CastTo To;
  std::string Name = join(Words, " ");
  if (Words.empty()) {
    const StringRef Begin = Rest;
    if (qualified().empty() || isDigit(Begin.ltrim().front()))
      return none();
    if (Rest.ltrim().starts_with("<")) {
      Rest = Rest.ltrim();
      Rest = Rest.drop_front(bracketed(Rest));
    }
    Name = Begin.drop_back(Rest.size()).trim().str();
  }
  while (eat("*") || eat("const") || eat("volatile"))
    To.Pointers += Rest.data()[-1] == '*';
  if (!eat(StringRef(&Closer, 1)))
    return none();
  skipSpace();
  if (!Alone && !To.Pointers && Keyword.empty() &&
      (Rest.empty() || (!isWord(Rest.front()) && Rest.front() != '(')))
    return none(); // (x) + 1
  if (Name == "void" && To.Pointers)
    return To;
  if (Error E = findScopes())
    return E;
  auto T = namedType(Name, Keyword);
  if (!T)
    return T.takeError();
  if (*T) {
    To.Type = *T;
    return To;
  }
  // Debug information has what the program uses.
  To.Number = Source.Types.number(Name);
  if (To.Number)
    return To;
  if (!To.Pointers && Keyword.empty())
    return none();
  NearNames Near(Name);
  if (Suggests)
    Source.types().addTypesTo(Near);
  return make_error<NoSuchName>("'" + Text + "': no type is called " + Name +
                                " in the debug information" + Near.question());
}

/// The type of a cast that comes next; nothing, and nothing consumed, if none
/// does, or one of a number to a number.
Expected<std::optional<LvalueParser::CastTo>> LvalueParser::castAhead() {
  const StringRef Before = Rest;
  if (!eat("("))
    return std::nullopt;
  const StringRef Name = Rest;
  auto To = castType(')');
  if (!To || !*To) {
    Rest = Before;
    return To;
  }
  if ((*To)->Pointers)
    return To;
  const DWARFDie T = strippedType((*To)->Type);
  // A variable may be called as a type of C.
  const bool MayBeVariable =
      !Name.ltrim().starts_with("enum") && local(Name.take_while(isWord));
  if (!MayBeVariable && T &&
      (T.getTag() == DW_TAG_enumeration_type || isClass(T) ||
       T.getTag() == DW_TAG_pointer_type))
    return To;
  Rest = Before;
  return std::nullopt;
}

bool LvalueParser::castsAhead(StringRef Ahead) {
  const SaveAndRestore Keep(Rest, Ahead), KeepText(Text, Ahead);
  auto To = castAhead();
  // What is wrong with it operand() tells.
  if (!To) {
    consumeError(To.takeError());
    return true;
  }
  return To->has_value();
}

/// What a type in brackets is, for its size; nothing, and nothing consumed, if
/// they have none, or a variable of that name.
Expected<std::optional<Lvalue>> LvalueParser::typeAlone() {
  const StringRef Before = Rest;
  if (!eat("("))
    return std::nullopt;
  skipSpace();
  const StringRef Name = Rest.take_while(isWord);
  auto To = castType(')', /*Alone=*/true);
  if (!To)
    return To.takeError();
  if (!*To || (!(*To)->Pointers && local(Name))) {
    Rest = Before;
    return std::nullopt;
  }
  return constant(**To, 0, std::nullopt);
}

} // namespace rw
