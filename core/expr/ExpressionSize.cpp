//===- ExpressionSize.cpp - What LLDB's parsers survive -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/expr/ExpressionSize.h"
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
  return BehindOperand &&
                 llvm::is_contained({"&&", "||", "==", "!=", "<=", ">=", "<<",
                                     ">>", "->", "::"},
                                    Rest.take_front(2))
             ? 2
             : 1;
}

llvm::Error rw::checkExpressionSize(StringRef Expression) {
  // Less than half of what was seen to end LLDB on a stack of 8 MB: 1,054
  // `sizeof` before a name, 3,820 commas between names.
  constexpr size_t Most = 500, RowForLevel = 4;
  // An operand may be as deep as what comes before it: brackets, prefixes, and
  // what groups to the right. Brackets that are closed again count too: there
  // are casts. Of a row of operators the first one is as deep as the row is
  // long, but each of these takes less of the stack. Texts in quotes count as
  // the rest: behind a quote in a comment they would be taken for each other.
  size_t Levels = 0, Row = 0, Questions = 0;
  enum { Nothing, Operand, Name } Before = Nothing;
  for (StringRef Rest = Expression.ltrim(); !Rest.empty();
       Rest = Rest.ltrim()) {
    const StringRef Token = Rest.take_front(sizeOfToken(Rest, Before));
    const char C = Token.front();
    Rest = Rest.drop_front(Token.size());
    if (isWord(C)) {
      Levels += Before == Name; // `sizeof sizeof x`
      Before = llvm::isDigit(C) ? Operand : Name;
    } else if (StringRef(")]}\"'").contains(C)) {
      Before = Operand;
    } else {
      if (!Before || Token == "=" || StringRef("([{?").contains(C))
        ++Levels;
      else if (C == ':' && Token.size() == 1 && Questions)
        --Questions; // the other half of a ?
      else
        Row += C != ';';
      Questions += C == '?';
      Before = Nothing;
    }
  }
  Levels += Row / RowForLevel;
  if (Levels <= Most)
    return llvm::Error::success();
  return llvm::createStringError("the expression may be nested " +
                                 llvm::Twine(Levels) +
                                 " levels deep, and LLDB could crash beyond " +
                                 llvm::Twine(Most) + ": make it shorter");
}

std::string rw::plainCasts(StringRef Path) {
  std::string Plain;
  size_t Depth = 0;
  char Quote = 0;
  for (StringRef Rest = Path; !Rest.empty();) {
    const char C = Rest.front();
    const StringRef Word = Rest.take_while(isWord);
    const size_t Size = std::max<size_t>(Word.size(), 1);
    if (Quote ? C == Quote : C == '"' || C == '\'')
      Quote = Quote ? 0 : C;
    if (!Quote && C == '(')
      ++Depth;
    if (!Quote && C == ')' && Depth)
      --Depth;
    if (!Depth || Quote || (Word != "const" && Word != "volatile"))
      Plain += Rest.take_front(Size);
    Rest = Rest.drop_front(Size);
  }
  return Plain;
}

llvm::Error rw::checkVariablePath(StringRef Path) {
  if (plainCasts(Path) == Path)
    return llvm::Error::success();
  return llvm::createStringError(
      "LLDB never ends reading a cast with 'const' or 'volatile' in it: leave "
      "that word out, or use 'expression'");
}
