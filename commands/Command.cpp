//===- Command.cpp - Finding, explaining and running commands -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

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
  return nullptr;
}

std::string usage(const Command &C, bool InShell) {
  std::string Text = ("rewind " + C.Name).str();
  if (InShell)
    Text += " <trace>";
  if (!C.Arguments.empty())
    Text += " " + C.Arguments.str();
  if (!C.Options.empty())
    Text += " [options]";
  return Text;
}

std::string helpText(const Command &C, bool InShell) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << C.Summary << ".\n\nUsage: " << usage(C, InShell) << "\n\n"
     << C.Help.trim('\n') << "\n";
  if (C.Options.empty())
    return Text;
  OS << "\nOptions:\n";
  for (const OptionSpec &O : C.Options) {
    std::string Form = O.Short ? std::string("-") + O.Short + ", " : "    ";
    Form += "--" + O.Long.str();
    if (!O.Value.empty())
      Form += " <" + O.Value.str() + ">";
    OS << formatv("  {0,-28} {1}\n", Form, O.Help);
  }
  return Text;
}

Error runCommand(const Command &C, Session &S, ArrayRef<StringRef> Words) {
  auto Parsed = parseOptions({C.Options}, Words);
  if (!Parsed)
    return Parsed.takeError();
  return runCommand(C, S, *Parsed);
}

Error runCommand(const Command &C, Session &S, const ParsedOptions &Options) {
  size_t N = Options.arguments().size();
  if (N < C.MinArguments || N > C.MaxArguments)
    return userError(
        (N < C.MinArguments ? "too few arguments" : "too many arguments") +
        Twine("; usage: ") + usage(C, !S.inDebugger()));
  if (C.RunOnFile)
    return C.RunOnFile({S.TracePath, Options, S.Out, S.Watch,
                        [&S](const std::string &Text) { S.warn(Text); }});
  return C.Run(S, Options);
}

} // namespace rw
