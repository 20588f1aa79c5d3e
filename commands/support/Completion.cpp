//===- Completion.cpp - What a word of a command line may be --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Completion.h"
#include "commands/support/CommandNames.h"
#include "core/formats/TraceFormat.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw {

void Completion::add(StringRef Text, StringRef Note) {
  std::string Whole = Prefix + Text.str();
  if (StringRef(Whole).starts_with(Word) && Texts.insert(Whole).second)
    Found.push_back({std::move(Whole), Note.str()});
}

void Completion::commandNames(ArrayRef<const Command *> All,
                              ArrayRef<StringRef> Before) {
  if (Before.size() > 1)
    return;
  std::string First;
  if (!Before.empty()) {
    // A family, or a command that others go on from, abbreviated or not.
    const NamedCommand N = nameCommand(All, Before);
    First = (N.What ? N.What->Name : N.Family).split(' ').first.str();
    if (First.empty())
      return;
  }
  for (const Command *C : All) {
    const auto [Its, Second] = C->Name.split(' ');
    if (!First.empty() && Its == First)
      add(Second, C->Summary);
    else if (First.empty() && Second.empty())
      add(Its, C->Summary);
    else if (First.empty())
      add(Its, (Its + " ...").str());
  }
}

/// "<a|b>", "[<a>...]", "a|b": the parts of a command's arguments, of which
/// placeholders may have blanks.
static std::vector<StringRef> tokens(StringRef Text) {
  std::vector<StringRef> All;
  size_t Begin = 0, Depth = 0;
  for (size_t I = 0; I <= Text.size(); ++I) {
    if (I == Text.size() || (Text[I] == ' ' && !Depth)) {
      if (I > Begin)
        All.push_back(Text.slice(Begin, I));
      Begin = I + 1;
      continue;
    }
    Depth += Text[I] == '<' || Text[I] == '[';
    Depth -= Depth && (Text[I] == '>' || Text[I] == ']');
  }
  return All;
}

/// Calls \p F with each word that a token may be, and whether it stands for
/// itself or, between < and >, for others.
static void eachWord(StringRef Token, function_ref<void(StringRef, bool)> F) {
  const bool Literal = !Token.contains('<');
  while (!Token.empty()) {
    StringRef Words = Token;
    if (!Literal) {
      std::tie(Words, Token) = Token.split('<').second.split('>');
    } else {
      Token = "";
    }
    for (StringRef W : split(Words, '|'))
      if (!W.empty())
        F(W, Literal);
  }
}

/// The alternatives of a command's arguments.
static std::vector<std::vector<StringRef>> alternatives(const Command &C) {
  std::vector<std::vector<StringRef>> All = {{}};
  for (StringRef Token : tokens(C.Arguments))
    if (Token == "|")
      All.push_back({});
    else
      All.back().push_back(Token);
  return All;
}

std::vector<StringRef> Completion::argumentNames(const Command &C) {
  std::vector<StringRef> Names;
  for (const auto &Alternative : alternatives(C))
    for (StringRef Token : Alternative)
      eachWord(Token, [&](StringRef Name, bool Literal) {
        if (!Literal)
          Names.push_back(Name);
      });
  return Names;
}

void Completion::argument(const Command &C, ArrayRef<StringRef> Before) {
  if (Before.size() >= C.MaxArguments)
    return;
  // What begins with a word of its own is meant rather than what may be any.
  std::vector<std::vector<StringRef>> Chosen, Others;
  for (const auto &Alternative : alternatives(C)) {
    if (Alternative.empty())
      continue;
    bool Own = false, Fits = true;
    eachWord(Alternative[0], [&](StringRef W, bool Literal) {
      if (Literal && !Before.empty()) {
        Fits = Own;
        Own |= W == Before[0];
        Fits |= Own;
      }
    });
    if (Own)
      Chosen.push_back(Alternative);
    else if (Fits)
      Others.push_back(Alternative);
  }
  for (const auto &Alternative : Chosen.empty() ? Others : Chosen)
    // Expressions may be of several words.
    slot(C, Alternative[std::min(Before.size(), Alternative.size() - 1)]);
}

void Completion::slot(const Command &C, StringRef Token) {
  eachWord(Token, [&](StringRef Name, bool Literal) {
    if (Literal)
      add(Name);
    else
      named(C, Name);
  });
}

void Completion::options(ArrayRef<ArrayRef<OptionSpec>> Tables) {
  for (ArrayRef<OptionSpec> Table : Tables)
    for (const OptionSpec &O : Table)
      add(("--" + O.Long).str(), O.Help);
  if (Word.size() == 2 && Word[1] != '-')
    for (ArrayRef<OptionSpec> Table : Tables)
      for (const OptionSpec &O : Table)
        if (O.Short == Word[1])
          add(Word, O.Help);
}

void Completion::values(const Command &C, ArrayRef<ArrayRef<OptionSpec>> Tables,
                        StringRef Option) {
  for (ArrayRef<OptionSpec> Table : Tables)
    for (const OptionSpec &O : Table) {
      if (Option != "--" + O.Long.str() &&
          !(O.Short && Option == std::string("-") + O.Short))
        continue;
      if (!O.Choices.empty())
        for (StringRef Choice : split(O.Choices, '|'))
          add(Choice);
      else if (O.Long == "format")
        for (const TraceFormat *F : traceFormats())
          add(F->Name, F->Description);
      named(C, O.Value);
    }
}

Completion::Sorted Completion::sort(ArrayRef<ArrayRef<OptionSpec>> Tables,
                                    ArrayRef<StringRef> Words) {
  auto TakesValue = [&](StringRef W) {
    for (ArrayRef<OptionSpec> Table : Tables)
      for (const OptionSpec &O : Table)
        if (!O.Value.empty() && (W == "--" + O.Long.str() ||
                                 (O.Short && W == std::string("-") + O.Short)))
          return true;
    return false;
  };
  Sorted R;
  for (size_t I = 0; I < Words.size(); ++I) {
    if (R.Ended || Words[I] == "-" || !isOption(Words[I]))
      R.Arguments.push_back(I);
    else if (Words[I] == "--")
      R.Ended = true;
    else if (TakesValue(Words[I]) && ++I == Words.size())
      R.Option = Words.back();
  }
  return R;
}

void Completion::line(const Command &C, ArrayRef<ArrayRef<OptionSpec>> Tables,
                      ArrayRef<StringRef> Before) {
  const Sorted Known = sort(Tables, Before);
  if (!Known.Option.empty())
    return values(C, Tables, Known.Option);
  const StringRef W = Word;
  if (!Known.Ended && W.starts_with("--") && W.contains('=')) {
    Prefix = W.take_front(W.find('=') + 1).str();
    return values(C, Tables, W.split('=').first);
  }
  if (!Known.Ended && isOption(W))
    return options(Tables);
  std::vector<StringRef> Arguments;
  for (size_t I : Known.Arguments)
    Arguments.push_back(Before[I]);
  argument(C, Arguments);
  if (W.empty() && Found.empty() && !Files && !Known.Ended &&
      Arguments.size() >= C.MinArguments)
    options(Tables);
}

} // namespace rw
