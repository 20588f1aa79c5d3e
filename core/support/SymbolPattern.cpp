//===- SymbolPattern.cpp - A symbol as a person names it ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/SymbolPattern.h"
#include "core/support/BriefName.h"
#include "core/support/Words.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

using namespace llvm;

namespace rw {

std::string readableName(StringRef Mangled) {
  constexpr size_t MaxLength = 8192;
  return Mangled.size() > MaxLength ? Mangled.str() : demangle(Mangled);
}

namespace {
/// A demangled name, rewritten, and where a shorter form of it may begin:
/// behind
/// "::" and behind the type that a function returns.
struct Form {
  std::string Text;
  SmallVector<size_t, 4> Starts;

  bool is(StringRef Wanted) const { return Text == Wanted; }
  bool endsIn(StringRef Wanted) const {
    return any_of(Starts, [&](size_t S) {
      return StringRef(Text).drop_front(S) == Wanted;
    });
  }
};
} // namespace

/// The length of the brackets that \p Text begins with, and all in them.
static size_t parenthesized(StringRef Text) {
  size_t Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    Depth += Text[I] == '(';
    if (Text[I] == ')' && --Depth == 0)
      return I + 1;
  }
  return Text.size();
}

/// \p Name without blanks that do not matter and, if asked to, without
/// parameters.
static Form formOf(StringRef Name, bool Parameters) {
  Form F;
  size_t Depth = 0;
  for (size_t I = 0; I < Name.size();) {
    StringRef Rest = Name.drop_front(I);
    bool InWord = !F.Text.empty() && isWord(F.Text.back());
    if (!InWord && Rest.starts_with("operator")) {
      // Its characters are no brackets.
      size_t End = Rest.starts_with("operator()")
                       ? 10
                       : Rest.find_first_not_of("<>=!+-*/%^&|~,[]", 8);
      F.Text += Rest.take_front(End);
      I += std::min(End, Rest.size());
      continue;
    }
    if (!Parameters && !Depth && Rest[0] == '(' &&
        !Rest.starts_with("(anonymous namespace)")) {
      I += parenthesized(Rest);
      for (StringRef Qualifier : {" const", " volatile", " &", "&"})
        if (Name.drop_front(I).starts_with(Qualifier))
          I += Qualifier.size();
      continue;
    }
    char C = Rest[0];
    ++I;
    if (C == ' ') {
      if (!InWord || Rest.size() < 2 || !isWord(Rest[1]))
        continue;
    }
    F.Text += C;
    Depth += C == '<' || C == '(';
    if ((C == '>' || C == ')') && Depth)
      --Depth;
    if (!Depth && (C == ' ' || StringRef(F.Text).ends_with("::")))
      F.Starts.push_back(F.Text.size());
    // "Type<int> f": the blank is gone.
    if (!Depth && (C == '>' || C == '*' || C == '&') && Rest.size() > 1 &&
        Rest[1] == ' ')
      F.Starts.push_back(F.Text.size());
  }
  return F;
}

/// Without the template arguments that it ends in.
static Form withoutArguments(Form F) {
  if (!StringRef(F.Text).ends_with(">"))
    return F;
  size_t Depth = 0;
  for (size_t I = F.Text.size(); I-- > 0;) {
    Depth += F.Text[I] == '>';
    if (F.Text[I] == '<' && --Depth == 0) {
      F.Text.resize(I);
      break;
    }
  }
  erase_if(F.Starts, [&](size_t S) { return S >= F.Text.size(); });
  return F;
}

std::string nameWithoutParameters(StringRef Demangled) {
  Form F = formOf(Demangled, false);
  size_t Begin = 0;
  for (size_t S : F.Starts)
    if (!StringRef(F.Text).take_front(S).ends_with("::"))
      Begin = S;
  return F.Text.substr(Begin);
}

/// With "char const*" for "const char*" in parameters and arguments, as
/// demanglers write it.
static std::string withConstBehind(StringRef Name) {
  std::string Text;
  for (size_t I = 0; I < Name.size();) {
    StringRef Rest = Name.drop_front(I);
    const StringRef Before = StringRef(Text).rtrim();
    const bool Begins =
        !Before.empty() && StringRef("(<,").contains(Before.back());
    if (!Begins || !Rest.consume_front("const ")) {
      Text += Rest.front();
      ++I;
      continue;
    }
    unsigned Depth = 0;
    size_t End = 0;
    for (; End < Rest.size(); ++End) {
      if (!Depth && StringRef("*&,)>").contains(Rest[End]))
        break;
      Depth += Rest[End] == '<';
      Depth -= Rest[End] == '>';
    }
    const StringRef Type = Rest.take_front(End);
    Text += withConstBehind(Type.rtrim()) + " const";
    I = size_t(Rest.data() - Name.data()) + End;
  }
  return Text;
}

SymbolPattern::SymbolPattern(StringRef Text)
    : Typed(Text.trim().str()),
      Wanted(formOf(withConstBehind(Typed), true).Text) {
  // An operator has another name in a mangled one.
  if (StringRef(Typed).contains("operator"))
    return;
  std::string Last = withoutArguments(formOf(Typed, false)).Text;
  size_t End = Last.size();
  while (End && !isWord(Last[End - 1]))
    --End;
  size_t Begin = End;
  while (Begin && isWord(Last[Begin - 1]))
    --Begin;
  Identifier = Last.substr(Begin, End - Begin);
}

/// gcc numbers the static variables of C functions, and the copies and parts
/// that it makes of a function: "push" of "push.isra.0.constprop.1".
static StringRef withoutNumbers(StringRef Name) {
  for (bool Copy = true; Copy;) {
    const auto [Plain, Number] = Name.rsplit('.');
    if (Number.empty() || !all_of(Number, isDigit))
      break;
    const auto [Before, Word] = Plain.rsplit('.');
    Copy = is_contained({"constprop", "isra", "part"}, Word);
    Name = Copy ? Before : Plain;
  }
  return Name;
}

/// Whether \p Mangled may have the identifier \p Name in it: some of the
/// library's have abbreviations.
static bool mayHave(StringRef Mangled, StringRef Name) {
  if (Mangled.contains(Name))
    return true;
  static constexpr std::pair<StringLiteral, StringLiteral> Abbreviations[] = {
      {"allocator", "Sa"},     {"basic_string", "Sb"}, {"string", "Ss"},
      {"basic_string", "Ss"},  {"istream", "Si"},      {"ostream", "So"},
      {"basic_istream", "Si"}, {"iostream", "Sd"},     {"basic_ostream", "So"},
  };
  return Mangled.starts_with("_Z") && any_of(Abbreviations, [&](const auto &A) {
           return A.first == Name && Mangled.contains(A.second);
         });
}

std::optional<unsigned> SymbolPattern::rank(StringRef Mangled) const {
  if (Mangled == Typed)
    return 0;
  if (!mayHave(Mangled, Identifier))
    return std::nullopt;
  if (withoutNumbers(Mangled) == Typed)
    return 3;
  // Debug information may tell the scopes of a name.
  if (!Mangled.starts_with("_Z") && !Mangled.contains("::"))
    return std::nullopt;
  const std::string Nice = readableName(Mangled);
  auto Rank = rankOfReadable(Nice);
  // As listings have it, and as one types it.
  if (const std::string Brief = withoutDefaults(Nice); Brief != Nice)
    if (auto Its = rankOfReadable(Brief))
      Rank = Rank ? std::min(*Rank, *Its) : Its;
  // Tables, guards and thunks of something are not that something.
  if (Mangled.starts_with("_ZT") || Mangled.starts_with("_ZG"))
    return Rank == 0u ? Rank : std::nullopt;
  constexpr StringLiteral Unnamed = "(anonymous namespace)::";
  if (Rank || !StringRef(Nice).contains(Unnamed))
    return Rank;
  // In C++ one leaves it out.
  std::string Named = Nice;
  for (size_t At; (At = Named.find(Unnamed)) != std::string::npos;)
    Named.erase(At, Unnamed.size());
  Rank = rankOfReadable(Named);
  return Rank ? std::optional<unsigned>(std::max(*Rank, 2u)) : std::nullopt;
}

/// As rank(), of a demangled name.
std::optional<unsigned> SymbolPattern::rankOfReadable(StringRef Nice) const {
  Form Whole = formOf(Nice, true);
  if (Whole.is(Wanted))
    return 0;
  Form Short = formOf(Nice, false);
  if (Short.is(Wanted))
    return 1;
  if (Whole.endsIn(Wanted) || Short.endsIn(Wanted))
    return 2;
  Form Bare = withoutArguments(std::move(Short));
  if (Bare.is(Wanted) || Bare.endsIn(Wanted))
    return 3;
  return std::nullopt;
}

std::string withPlainBrackets(StringRef Text, bool All) {
  std::string Glob;
  for (size_t I = 0; I < Text.size(); ++I) {
    size_t Size = 1;
    if (Text[I] == '\\')
      Size = 2;
    if (Text[I] == '[') {
      // The first of a class may be a ']'.
      const size_t End = All ? StringRef::npos : Text.find(']', I + 2);
      if (End == StringRef::npos)
        Glob += '\\';
      else
        Size = End + 1 - I;
    }
    Glob += Text.substr(I, Size);
    I += Size - 1;
  }
  return Glob;
}

} // namespace rw
