//===- Command.cpp - Finding, explaining and running commands -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/CommandNames.h"
#include "commands/support/Format.h"
#include "core/htr/HtrRun.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "core/support/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

const Command *findCommand(ArrayRef<StringRef> Words, unsigned &Used) {
  for (unsigned N = std::min<size_t>(2, Words.size()); N > 0; --N) {
    std::string Name = join(Words.take_front(N), " ");
    for (const Command *C : commands())
      if (C->Name == Name) {
        Used = N;
        return C;
      }
  }
  // "rewind htr <trace>" is its page. A bundle is a folder. What looks like a
  // file is no second word, be it that there is no such file.
  if (Words.size() > 1 && (Words[1].find_first_of("./") != StringRef::npos ||
                           sys::fs::exists(Words[1])))
    if (StringRef Alone = familyAction(Words[0]); !Alone.empty()) {
      const Command *C = findCommand({Words[0], Alone}, Used);
      Used = 1;
      return C;
    }
  return nullptr;
}

StringRef choice(const Command &C) {
  StringRef First = C.Arguments.split(' ').first;
  return First.contains('|') && !First.starts_with("<") &&
                 !First.starts_with("[")
             ? First
             : "";
}

bool showsValues(const Command &C) {
  return any_of(C.Options,
                [](const OptionSpec &O) { return O.Long == opt::Raw.Long; });
}

std::string usage(const Command &C, bool InShell) {
  StringRef Choice = choice(C);
  StringRef Arguments = C.Arguments.drop_front(Choice.size()).ltrim();
  std::string Text = ("rewind " + C.Name).str();
  if (!Choice.empty())
    Text += " " + Choice.str();
  if (InShell && !C.WithoutTrace)
    Text += " <trace>";
  if (!Arguments.empty())
    Text += " " + Arguments.str();
  if (!C.Options.empty())
    Text += " [options]";
  return Text;
}

/// The examples are written as for LLDB; in the shell the trace follows the
/// name and what is chosen. "(lldb)" marks those that only LLDB can run.
static std::string helpBody(const Command &C, bool InShell) {
  std::string Example = ("  rewind " + C.Name).str(), Text;
  for (StringRef Line : split(C.Help.trim('\n'), '\n')) {
    StringRef Rest = Line;
    if (!InShell && Rest.consume_front("  (lldb) "))
      Text += "  ";
    else if (InShell && !C.WithoutTrace && Rest.consume_front(Example)) {
      Text += Example;
      if (!choice(C).empty()) {
        StringRef Chosen = Rest.ltrim().take_until(isSpace);
        Text += " " + Chosen.str();
        Rest = Rest.ltrim().drop_front(Chosen.size());
      }
      Text += " <trace>";
    }
    Text += Rest;
    Text += '\n';
  }
  return Text;
}

std::string helpText(const Command &C, bool InShell) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << C.Summary << ".\n\nUsage: " << usage(C, InShell) << "\n\n"
     << helpBody(C, InShell);
  if (C.Options.empty())
    return Text;
  OS << "\nOptions:\n" << optionHelp(C.Options);
  return Text;
}

Error runCommand(const Command &C, Session &S, ArrayRef<StringRef> Words) {
  auto Parsed = parseOptions({C.Options}, Words);
  if (!Parsed)
    return Parsed.takeError();
  return runCommand(C, S, *Parsed);
}

/// What is wrong with an option that many commands have is so before any of
/// them begins.
static Error checkCommon(const Session &S, const ParsedOptions &Options) {
  if (Options.has("goto"))
    if (Error E = S.checkMovable())
      return E;
  auto Count = Options.number("count");
  if (!Count)
    return Count.takeError();
  if (*Count && !**Count)
    return usageError("--count 0 would list nothing");
  return Error::success();
}

Error runCommand(const Command &C, Session &S, const ParsedOptions &Options) {
  size_t N = Options.arguments().size();
  if (N < C.MinArguments || N > C.MaxArguments)
    return usageError(
        (N < C.MinArguments ? "too few arguments" : "too many arguments") +
        Twine("; usage: ") + usage(C, !S.inDebugger()));
  if (Error E = checkCommon(S, Options))
    return E;
  if (C.RunOnFile) {
    if (!C.WithoutTrace)
      if (Error E = checkUnchanged(S.Store, S.TracePath))
        return E;
    return C.RunOnFile({S.TracePath, Options, S.Out, S.Watch,
                        [&S](const std::string &Text) { S.warn(Text); },
                        reservedFiles(S)});
  }
  if (showsValues(C)) {
    auto Style = valueStyle(Options);
    if (!Style)
      return Style.takeError();
    S.Style = *Style;
  }
  Error E = C.Run(S, Options);
  std::vector<std::string> Files = {S.StorePath, htr::layersPath(S.StorePath)};
  append_range(Files, S.Images);
  for (const ModuleInfo &M : S.Store.header().Modules)
    Files.push_back(M.Path);
  for (const std::string &File : Files)
    E = joinErrors(std::move(E), checkMapped(File));
  return E;
}

} // namespace rw
