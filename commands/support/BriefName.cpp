//===- BriefName.cpp - Names of functions in text -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/BriefName.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace rw {

namespace {
/// A pair of brackets, by the indices of both.
struct Brackets {
  size_t Open, Close;
  unsigned Level; ///< 1: in no brackets of the same kind
};
} // namespace

static bool isWord(char C) { return isAlnum(C) || C == '_' || C == '$'; }

/// What stands at \p I is copied as it is: the characters of an operator are no
/// brackets, nor is an arrow's head.
static size_t lengthOfPlain(StringRef Name, size_t I) {
  StringRef Rest = Name.drop_front(I);
  if ((I == 0 || !isWord(Name[I - 1])) && Rest.starts_with("operator") &&
      Rest.size() > 8 && !isWord(Rest[8])) {
    for (StringRef Sign : {"->*", "<=>", "<<=", ">>=", "()", "[]", "->", "<<",
                           ">>", "<=", ">=", "<", ">"})
      if (Rest.drop_front(8).starts_with(Sign))
        return 8 + Sign.size();
    return 8;
  }
  // Which copy of a function it is: "f(int) (.constprop.0)".
  if (Rest.starts_with("(."))
    return std::min(Rest.find(')'), Rest.size() - 1) + 1;
  for (StringRef Plain : {"->", "(anonymous namespace)"})
    if (Rest.starts_with(Plain))
      return Plain.size();
  return 0;
}

/// All pairs of \p Open and \p Close outside of operators; none if they do not
/// match.
static SmallVector<Brackets, 16> bracketsOf(StringRef Name, char Open,
                                            char Close) {
  SmallVector<Brackets, 16> All;
  SmallVector<size_t, 16> Opened;
  for (size_t I = 0; I < Name.size(); ++I) {
    if (size_t Plain = lengthOfPlain(Name, I)) {
      I += Plain - 1;
    } else if (Name[I] == Open) {
      Opened.push_back(I);
    } else if (Name[I] == Close) {
      if (Opened.empty())
        return {};
      All.push_back({Opened.back(), I, unsigned(Opened.size())});
      Opened.pop_back();
    }
  }
  if (!Opened.empty())
    return {};
  return All;
}

/// Without what is in the brackets of \p Level.
static std::string without(StringRef Name, ArrayRef<Brackets> All,
                           unsigned Level) {
  std::string Out;
  size_t Done = 0;
  for (const Brackets &B : All)
    if (B.Level == Level && B.Close - B.Open > 4) {
      Out += Name.slice(Done, B.Open + 1);
      Out += "...";
      Done = B.Close;
    }
  Out += Name.drop_front(Done);
  return Out;
}

std::string briefName(StringRef Name) {
  constexpr size_t Most = 80;
  if (Name.size() <= Most)
    return Name.str();
  std::string Brief = Name.str();
  for (auto [Open, Close] : {std::pair('<', '>'), {'(', ')'}}) {
    const std::string Before = Brief;
    const auto All = bracketsOf(Before, Open, Close);
    unsigned Deepest = 0;
    for (const Brackets &B : All)
      Deepest = std::max(Deepest, B.Level);
    for (unsigned Level = Deepest; Level && Brief.size() > Most; --Level)
      Brief = without(Before, All, Level);
  }
  return Brief;
}

} // namespace rw
