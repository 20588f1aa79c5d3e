//===- Options.cpp - One option parser for LLDB and the shell -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Options.h"
#include "commands/support/NearNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

Error userError(const Twine &Text) {
  return createStringError(inconvertibleErrorCode(), Text);
}

char UsageError::ID;

UsageError::UsageError(const Twine &Text)
    : ErrorInfo(Text, inconvertibleErrorCode()) {}

Error usageError(const Twine &Text) { return make_error<UsageError>(Text); }

std::string optionHelp(ArrayRef<OptionSpec> Options) {
  std::string Text;
  for (const OptionSpec &O : Options) {
    std::string Form = O.Short ? std::string("-") + O.Short + ", " : "    ";
    Form += "--" + O.Long.str();
    if (!O.Value.empty())
      Form += " <" + O.Value.str() + ">";
    Text += formatv("  {0,-28} {1}\n", Form, O.Help).str();
  }
  return Text;
}

std::optional<uint64_t> parseNumber(StringRef Text) {
  bool Hex = Text.consume_front("0x") || Text.consume_front("0X");
  if (Text.empty() || !isHexDigit(Text.front()) || !isHexDigit(Text.back()))
    return std::nullopt;
  if (Text.contains(',')) {
    auto [First, Groups] = Text.split(',');
    if (Hex || First.size() > 3 || !all_of(split(Groups, ','), [](StringRef G) {
          return G.size() == 3 && all_of(G, isDigit);
        }))
      return std::nullopt;
  }
  std::string Digits;
  for (char C : Text)
    if (C != ',' && C != '_')
      Digits.push_back(C);
  uint64_t N;
  if (StringRef(Digits).getAsInteger(Hex ? 16 : 10, N))
    return std::nullopt;
  return N;
}

std::string whyNoNumber(StringRef Text) {
  if (Text.empty() || !isDigit(Text.front()) || parseNumber(Text))
    return "";
  if (Text.contains(',') &&
      Text.find_first_not_of("0123456789abcdefABCDEFxX,_") == StringRef::npos)
    return "commas stand between groups of three decimal digits, as in "
           "1,234,567";
  if (all_of(Text, [](char C) { return isDigit(C) || C == '_'; }))
    return "the largest number is " + std::to_string(~uint64_t(0));
  return "";
}

std::optional<StringRef> ParsedOptions::value(StringRef Long) const {
  for (auto I = Given.rbegin(); I != Given.rend(); ++I)
    if (I->first == Long)
      return StringRef(I->second);
  return std::nullopt;
}

std::vector<StringRef> ParsedOptions::values(StringRef Long) const {
  std::vector<StringRef> Result;
  for (const auto &[Name, Value] : Given)
    if (Name == Long)
      Result.push_back(Value);
  return Result;
}

static Expected<uint64_t> numberOf(StringRef Long, StringRef Value) {
  if (auto N = parseNumber(Value))
    return *N;
  const std::string Why = whyNoNumber(Value);
  return usageError("--" + Long + " wants a number, not '" + Value + "'" +
                    (Why.empty() ? "" : ": " + Why));
}

Expected<std::optional<uint64_t>> ParsedOptions::number(StringRef Long) const {
  auto V = value(Long);
  if (!V)
    return std::nullopt;
  return numberOf(Long, *V);
}

std::string ParsedOptions::text(unsigned First) const {
  std::string Result;
  for (size_t I = First; I < Arguments.size(); ++I)
    Result += (I == First ? "" : " ") + Arguments[I];
  return Result;
}

std::string ParsedOptions::take(size_t Index) {
  assert(Index < Arguments.size());
  std::string Taken = std::move(Arguments[Index]);
  Arguments.erase(Arguments.begin() + Index);
  return Taken;
}

/// Lists the command's own options: that is the first table.
static std::string listOptions(ArrayRef<ArrayRef<OptionSpec>> Tables) {
  std::string Result;
  for (const OptionSpec &O : Tables.front())
    Result += (Result.empty() ? "--" : ", --") + O.Long.str();
  return Result.empty() ? "the command has none" : "there are " + Result;
}

static Error unknownOption(ArrayRef<ArrayRef<OptionSpec>> Tables,
                           StringRef Word) {
  const StringRef Name = Word.split('=').first;
  NearNames Near(Name.ltrim('-'));
  if (Name.starts_with("--"))
    for (ArrayRef<OptionSpec> Table : Tables)
      for (const OptionSpec &O : Table)
        Near.add(O.Long, ("--" + O.Long).str());
  const std::string Question = Near.question();
  return usageError("unknown option '" + Word + "'" +
                    (Question.empty() ? "; " + listOptions(Tables) : Question) +
                    (Name.size() > 1 && (isAlpha(Name[1]) || Name[1] == '-')
                         ? ""
                         : "; what only begins with '-' comes behind '--'"));
}

Expected<ParsedOptions> parseOptions(ArrayRef<ArrayRef<OptionSpec>> Tables,
                                     ArrayRef<StringRef> Words) {
  auto Find = [&](auto Matches) -> const OptionSpec * {
    for (ArrayRef<OptionSpec> Table : Tables)
      for (const OptionSpec &O : Table)
        if (Matches(O))
          return &O;
    return nullptr;
  };

  ParsedOptions P;
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef W = Words[I];
    if (W == "--") {
      for (++I; I < Words.size(); ++I)
        P.Arguments.push_back(Words[I].str());
      break;
    }
    // A lone dash, "-10" and "-inf" are arguments.
    if (!W.starts_with("-") || W.size() < 2 || isDigit(W[1]) || W == "-inf") {
      P.Arguments.push_back(W.str());
      continue;
    }

    const OptionSpec *O;
    std::optional<StringRef> Value;
    if (W.starts_with("--")) {
      auto [Name, V] = W.drop_front(2).split('=');
      if (W.contains('='))
        Value = V;
      O = Find([&, N = Name](const OptionSpec &S) { return S.Long == N; });
    } else {
      O = Find([&](const OptionSpec &S) { return S.Short == W[1]; });
      if (W.size() > 2) {
        if (O && O->Value.empty())
          O = nullptr; // flags are not run together
        Value = W.drop_front(2);
        Value->consume_front("=");
      }
    }
    if (!O)
      return unknownOption(Tables, W);
    if (O->Value.empty() && Value)
      return usageError("--" + O->Long + " takes no value");
    if (!O->Value.empty() && !Value) {
      if (++I == Words.size())
        return usageError("--" + O->Long + " wants a value: <" + O->Value +
                          ">");
      Value = Words[I];
    }
    // Before any work is done.
    if (O->Value == "n")
      if (auto N = numberOf(O->Long, *Value); !N)
        return N.takeError();
    P.Given.emplace_back(O->Long.str(), Value.value_or("").str());
  }
  return P;
}

} // namespace rw
