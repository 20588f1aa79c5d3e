//===- BriefName.cpp - Names of functions in text -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/BriefName.h"
#include "core/support/Words.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
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

/// Where the name of a function begins behind its return type, which demangled
/// names of templates have. 0 if there is none, or if it is not understood.
static size_t beginOfName(StringRef Name) {
  // What is made for something: "guard variable for f()::x". Rust's
  // "<T as Trait>::f".
  if (Name.contains(" for ") || Name.contains(" thunk to ") ||
      Name.starts_with("<"))
    return 0;
  size_t Begin = 0;
  unsigned Depth = 0;
  for (size_t I = 0; I < Name.size(); ++I) {
    StringRef Rest = Name.drop_front(I);
    if (!Depth && (I == Begin || Name[I - 1] == ':') &&
        Rest.starts_with("operator") && Rest.size() > 8 && !isWord(Rest[8]))
      return Begin;
    if (size_t Plain = lengthOfPlain(Name, I)) {
      I += Plain - 1;
      continue;
    }
    switch (Name[I]) {
    case '<':
    case '[':
    case '{':
      ++Depth;
      break;
    case '>':
    case ']':
    case '}':
      Depth -= Depth != 0;
      break;
    case ' ':
      if (!Depth)
        Begin = I + 1;
      break;
    case '(': {
      if (Depth)
        break;
      size_t Open = 1, End = I + 1;
      for (; End < Name.size() && Open; ++End)
        Open += (Name[End] == '(') - (Name[End] == ')');
      if (Name.drop_front(End).starts_with("::") ||
          Name.slice(Begin, I) == "decltype") {
        I = End - 1;
        break;
      }
      return I > Begin && Name[I - 1] == '>' ? Begin : 0;
    }
    }
  }
  return 0;
}

std::string withoutDefaults(StringRef Name) {
  std::string Out = Name.str();
  auto takeOut = [&](StringRef Head, bool Arguments, StringRef Instead) {
    for (size_t At = 0; (At = Out.find(Head.str(), At)) != std::string::npos;) {
      size_t End = At + Head.size();
      if (Arguments)
        for (unsigned Depth = 1; End < Out.size() && Depth; ++End)
          Depth += (Out[End] == '<') - (Out[End] == '>');
      Out.replace(At, End - At, Instead.str());
      At += Instead.size();
    }
  };
  // As demanglers have it, and as debug information does.
  for (StringRef Whole :
       {"std::__cxx11::basic_string<char, std::char_traits<char>, "
        "std::allocator<char>>",
        "std::__cxx11::basic_string<char, std::char_traits<char>, "
        "std::allocator<char> >"})
    takeOut(Whole, false, "std::string");
  takeOut(", std::allocator<", true, "");
  takeOut(", std::char_traits<", true, "");
  takeOut("__gnu_cxx::", false, "");
  takeOut("std::__cxx11::", false, "std::");
  takeOut(" >", false, ">");
  return Out;
}

/// Length of the bracketed text that begins \p S, brackets included.
static size_t bracketed(StringRef S) {
  size_t Depth = 0;
  for (size_t I = 0; I < S.size(); ++I) {
    if (StringRef("<([{").contains(S[I]))
      ++Depth;
    // The arrow of a trailing return type is no bracket.
    if (StringRef(">)]}").contains(S[I]) && !(I && S[I - 1] == '-') &&
        --Depth == 0)
      return I + 1;
  }
  return S.size();
}

std::string plainName(StringRef Name) {
  // "<T as Trait>::f" is Rust's.
  if (Name.find_first_of("<(") == StringRef::npos || Name.starts_with("<"))
    return Name.str();
  std::string Brief;
  for (StringRef Rest = Name; !Rest.empty();) {
    bool AtWord = Brief.empty() || Brief.back() == ':';
    if (AtWord && Rest.starts_with("operator") && Rest.size() > 8 &&
        !isAlnum(Rest[8]) && Rest[8] != '_') {
      // Its name ends where its parameters begin, or template arguments.
      size_t End =
          Rest.find_first_of("(<", Rest.substr(8).starts_with("()")
                                       ? 10
                                       : Rest.find_first_not_of("<=>-", 8));
      return Brief + Rest.substr(0, End).rtrim().str();
    }
    StringRef Inside = Rest.substr(0, bracketed(Rest));
    switch (Rest.front()) {
    case ' ': // what came before was a type
      Brief.clear();
      break;
    case '{': // "{lambda(int)#1}"
      Brief += Inside;
      Rest = Rest.drop_front(Inside.size());
      continue;
    case '(':
      Rest = Rest.drop_front(Inside.size());
      if (Inside == "(anonymous namespace)")
        Brief += Inside;
      else if (!Rest.starts_with("::") && Brief != "decltype")
        return Brief.empty() ? Name.str() : Brief;
      continue;
    case '<':
    case '[': // "[abi:cxx11]"
      Rest = Rest.drop_front(Inside.size());
      continue;
    default:
      Brief += Rest.front();
    }
    Rest = Rest.drop_front();
  }
  return Brief.empty() ? Name.str() : Brief;
}

/// Whether it goes on with a character of UTF-8.
static bool isContinued(char C) { return (uint8_t(C) & 0xc0) == 0x80; }

std::string briefName(StringRef Name) {
  constexpr size_t Most = 80;
  std::string Brief = Name.drop_front(beginOfName(Name)).str();
  if (Brief.size() <= Most)
    return Brief;
  Brief = withoutDefaults(Brief);
  const std::string Told = Brief;
  for (auto [Open, Close] : {std::pair('<', '>'), {'(', ')'}}) {
    const std::string Before = Brief;
    const auto All = bracketsOf(Before, Open, Close);
    unsigned Deepest = 0;
    for (const Brackets &B : All)
      Deepest = std::max(Deepest, B.Level);
    for (unsigned Level = Deepest; Level && Brief.size() > Most; --Level)
      Brief = without(Before, All, Level);
  }
  // Whoever names a function with 5,000 letters.
  constexpr size_t Longest = 200, Tail = 40;
  if (Brief.size() > Longest) {
    StringRef Text = Brief;
    StringRef Head = Text.take_front(Longest - Tail),
              End = Text.take_back(Tail);
    while (!Head.empty() && isContinued(Text[Head.size()]))
      Head = Head.drop_back();
    while (!End.empty() && isContinued(End.front()))
      End = End.drop_front();
    Brief = (Head + "..." + End).str();
  }
  // Names that differ in what is left out, do so here.
  if (Brief != Told)
    Brief += formatv(" ~{0:x-4}", uint16_t(xxh3_64bits(Name))).str();
  return Brief;
}

} // namespace rw
