//===- LvalueParser.cpp - The grammar of lvalues --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/LvalueParser.h"
#include "commands/support/UnknownName.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace llvm;
using namespace llvm::dwarf;

namespace rw {

/// How long "<int, 4>" is that \p Text begins with, if "::" comes behind it.
static size_t templateArguments(StringRef Text) {
  size_t Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    const char C = Text[I];
    Depth += C == '<';
    if (C == '>' && Depth && !--Depth)
      return Text.drop_front(I + 1).ltrim().starts_with("::") ? I + 1 : 0;
    if (!Depth || (!isWord(C) && !StringRef("<>,: *&()-'").contains(C)))
      return 0;
  }
  return 0;
}

/// "a::b", "::a<int, 4>::b"
StringRef LvalueParser::qualified() {
  skipSpace();
  const StringRef Begin = Rest;
  eat("::");
  while (!word().empty()) {
    Rest = Rest.drop_front(templateArguments(Rest));
    if (!eat("::"))
      break;
  }
  return Begin.drop_back(Rest.size()).trim();
}

TypeRef LvalueParser::type() {
  TypesOnly = true;
  auto L = run();
  if (L)
    return describe(*L);
  consumeError(L.takeError());
  return nullptr;
}

Error LvalueParser::notUnderstood(StringRef Its) const {
  return make_error<NotUnderstood>(
      "'" + Text + "': '" + Its +
      "' is not understood: a place is told by names, ., ->, [index] and *; "
      "LLDB knows more");
}

Expected<Lvalue> LvalueParser::run() {
  if (Error E = findScopes())
    return E;
  auto L = unary();
  if (!L)
    return L.takeError();
  if (const StringRef Its = sumAhead(); !Its.empty()) {
    L = sum(std::move(*L), Its);
    if (!L)
      return L.takeError();
  }
  skipSpace();
  if (!Rest.empty())
    return notUnderstood(Rest);
  return L;
}

Expected<Lvalue> LvalueParser::unary() {
  constexpr unsigned MostDepth = 100;
  if (++Depth > MostDepth)
    return userError("'" + Text + "' is nested too deeply");
  if (!Rest.ltrim().starts_with("&&") && eat("&"))
    return addressed();
  if (!eat("*")) {
    auto To = castAhead();
    if (!To)
      return To.takeError();
    return *To ? cast(**To, castOperand(Rest), /*Converts=*/true) : postfix();
  }
  auto L = unary();
  return L ? pointee(*L) : std::move(L);
}

Expected<Lvalue> LvalueParser::postfix() {
  auto L = primary();
  while (L) {
    if (eat("->*")) {
      auto To = pointee(*L);
      L = To ? pointedMember(std::move(*To)) : To.takeError();
    } else if (eat(".*")) {
      L = pointedMember(std::move(*L));
    } else if (eat("->")) {
      auto To = pointee(*L);
      L = To ? member(std::move(*To), qualified()) : To.takeError();
    } else if (eat(".")) {
      L = member(std::move(*L), qualified());
    } else if (eat("[")) {
      auto I = index();
      if (!I)
        return I.takeError();
      L = element(std::move(*L), *I);
    } else {
      break;
    }
  }
  return L;
}

/// What is between the brackets, behind the first.
Expected<LvalueParser::ElementIndex> LvalueParser::index() {
  const size_t Size = closedAt(Rest, '[', ']');
  if (Size == StringRef::npos)
    return userError("'" + Text + "': a ] is missing");
  const StringRef Its = Rest.take_front(Size).trim();
  ElementIndex Index = {0};
  if (uint64_t Large; !Its.getAsInteger(0, Large) && Large > INT64_MAX)
    return make_error<OutsideAddressSpace>("'" + Text + "': the index " + Its +
                                           " is outside of the address space");
  if (!TypesOnly && Its.starts_with("\""))
    return userError("'" + Text +
                     "': keys that are texts are not looked up here, only "
                     "whole numbers; eval shows all of it");
  if (!TypesOnly && Its.getAsInteger(0, Index.Now)) {
    auto V = Source.compute(Its, At);
    if (!V)
      return V.takeError();
    if (V->Type.Float || V->Type.Address)
      return userError("'" + Text + "': the index " + Its +
                       " is no whole number");
    if (!V->Value)
      return make_error<UnknownValue>("'" + Text + "': what " + Its +
                                      " is is not known at that place");
    Index = {int64_t(*V->Value), Its};
  }
  Rest = Rest.drop_front(Size + 1);
  return Index;
}

/// The member of \p L that the pointer to a member that comes next leads to.
Expected<Lvalue> LvalueParser::pointedMember(Lvalue L) {
  auto M = unary();
  if (!M)
    return M.takeError();
  const DWARFDie T = strippedType(M->Type);
  if (!T || T.getTag() != DW_TAG_ptr_to_member_type)
    return userError("'" + read() + "': that is no pointer to a member");
  auto Offset = number(*M);
  if (!Offset)
    return Offset.takeError();
  if (int64_t(*Offset) < 0 ||
      *Offset >= std::max<uint64_t>(describe(L)->Size, 1))
    return make_error<UnknownValue>("'" + read() +
                                    "': it points to no member here");
  Fixed = false;
  L.Type = typeOf(T);
  L.Dimension = 0;
  L.Offset += *Offset;
  return L;
}

Expected<Lvalue> LvalueParser::primary() {
  if (eat("(")) {
    auto L = unary();
    if (const StringRef Its = L ? sumAhead() : ""; !Its.empty())
      L = sum(std::move(*L), Its);
    if (L && !eat(")"))
      return userError("'" + Text + "': a ) is missing");
    return L;
  }
  skipSpace();
  const StringRef Begin = Rest, Name = qualified();
  if (Name == "static_cast" || Name == "reinterpret_cast" ||
      Name == "const_cast")
    return namedCast(Name);
  if (Name == "dynamic_cast")
    return userError("'" + Text +
                     "': dynamic_cast runs code of the program; write "
                     "static_cast");
  if (Name.empty() || isDigit(Name[0]))
    return make_error<NotUnderstood>("'" + Text +
                                     "': a variable's name is wanted at '" +
                                     Begin.take_front(20) + "'");
  return variable(Name);
}

} // namespace rw
