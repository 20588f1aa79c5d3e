//===- ExpressionSize.cpp - What LLDB's parsers survive -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ExpressionSize.h"
#include "core/support/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;
using namespace rw;

/// The size of the token that \p Rest begins with.
static size_t sizeOfToken(StringRef Rest, bool BehindOperand) {
  const char C = Rest.front();
  if (isWord(C))
    return Rest.take_while(isWord).size();
  if (C == '"' || C == '\'') {
    size_t End = 1;
    while (End < Rest.size() && Rest[End] != C)
      End += Rest[End] == '\\' ? 2 : 1;
    return std::min(End + 1, Rest.size());
  }
  return BehindOperand &&
                 llvm::is_contained({"&&", "||", "==", "!=", "<=", ">=", "<<",
                                     ">>", "->", "::"},
                                    Rest.take_front(2))
             ? 2
             : 1;
}

llvm::Error rw::checkExpressionSize(StringRef Expression) {
  // Less than half of what was seen to end LLDB on a stack of 8 MB.
  constexpr size_t Most = 500;
  // An operand may be as deep as what comes before it: brackets, prefixes, and
  // what groups to the right. Brackets that are closed again count too: there
  // are casts.
  size_t Levels = 0;
  bool BehindOperand = false;
  for (StringRef Rest = Expression.ltrim(); !Rest.empty();
       Rest = Rest.ltrim()) {
    const StringRef Token = Rest.take_front(sizeOfToken(Rest, BehindOperand));
    const char C = Token.front();
    const bool Operand = isWord(C) || C == '"' || C == '\'';
    const bool Closes = C == ')' || C == ']' || C == '}';
    if (Operand)
      Levels += BehindOperand; // `sizeof sizeof x`
    else if (!Closes)
      Levels += !BehindOperand || Token == "=" || StringRef("([{?").contains(C);
    BehindOperand = Operand || Closes;
    Rest = Rest.drop_front(Token.size());
  }
  if (Levels <= Most)
    return llvm::Error::success();
  return llvm::createStringError("the expression may be nested " +
                                 llvm::Twine(Levels) +
                                 " levels deep, and LLDB could crash beyond " +
                                 llvm::Twine(Most) + ": make it shorter");
}
