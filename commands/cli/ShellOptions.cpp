//===- ShellOptions.cpp - Options of every shell command ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"
#include "commands/dap/Dap.h"
#include "commands/support/CommandOverview.h"
#include "commands/support/LoadOptions.h"
#include "commands/view/View.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static constexpr OptionSpec ShellTable[] = {
    {"show-progress-meter", 0, "",
     "show progress even if stderr is no terminal"},
    {"verbose", 'v', "", "tell what is done and why"},
    {"quiet", 'q', "", "no progress, no remarks"},
    {"help", 'h', "", "explain the command"},
};

ArrayRef<OptionSpec> shellOptions() { return ShellTable; }

ArrayRef<const Command *> shellCommands() {
  static const std::vector<const Command *> All = [] {
    std::vector<const Command *> C = {&IndexCommand, &ViewCommand,
                                      &BrowseCommand};
    append_range(C, commands());
    C.push_back(&DapCommand);
    C.push_back(&CompletionCommand);
    return C;
  }();
  return All;
}

NamedCommand nameShellCommand(ArrayRef<StringRef> Words) {
  unsigned Used = 0;
  if (const Command *C = findCommand(Words, Used))
    return {C, Used, "", ""};
  return nameCommand(shellCommands(), Words, {"help"});
}

size_t tracePlace(const Command &C, ArrayRef<std::string> Arguments) {
  SmallVector<StringRef> Choices;
  choice(C).split(Choices, '|', -1, /*KeepEmpty=*/false);
  return Arguments.size() > 1 && is_contained(Choices, Arguments[0]) ? 1 : 0;
}

size_t nameIndex(ArrayRef<StringRef> W) {
  size_t First = 0;
  while (First < W.size() && W[First].starts_with("-")) {
    StringRef Word = W[First++];
    // None of the shell's own has a value.
    for (const OptionSpec &O : loadOptions())
      if (!O.Value.empty() && (Word == "--" + O.Long.str() ||
                               (O.Short && Word == std::string("-") + O.Short)))
        ++First;
  }
  return First;
}

Expected<CommandLine> parseCommandLine(ArrayRef<StringRef> W) {
  const size_t First = nameIndex(W);
  CommandLine L;
  SmallVector<StringRef> Rest(W.take_front(std::min(First, W.size())));
  NamedCommand Named = nameShellCommand(W.drop_front(First).take_while(
      [](StringRef Word) { return !Word.starts_with("-"); }));
  if (First < W.size()) {
    L.What = Named.What;
    L.Name = L.What ? L.What->Name.str() : W[First].str();
    append_range(Rest, W.drop_front(First + std::max(Named.Used, 1u)));
    if (L.Name == "load")
      return userError("'load' is for LLDB; in the shell every command takes "
                       "the trace: rewind info <trace>");
    if (!Named.Family.empty() &&
        (is_contained(W, "--help") || is_contained(W, "-h"))) {
      auto Family = parseOptions({shellOptions()}, {Named.Family});
      if (!Family)
        return Family.takeError();
      L.Options = std::move(*Family);
      L.Name = "help";
      return L;
    }
    if (!Named.Wrong.empty())
      return userError(Named.Wrong + " (rewind help lists them)");
  }
  auto Parsed = parseOptions({L.What ? L.What->Options : ArrayRef<OptionSpec>(),
                              loadOptions(), shellOptions()},
                             Rest);
  if (!Parsed)
    return Parsed.takeError();
  L.Options = std::move(*Parsed);
  bool Help = !L.What || L.Options.has("help");
  if (Help) {
    if (!L.What)
      L.Name = "help";
    return L;
  }
  if (L.What->WithoutTrace)
    return L;
  if (L.Options.arguments().empty())
    return userError("the trace is missing; usage: " + usage(*L.What, true));
  L.Trace = L.Options.take(tracePlace(*L.What, L.Options.arguments()));
  return L;
}

std::string overview() {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "rewind: ask a processor trace what happened.\n\n"
     << "Usage: rewind <command> <trace> [arguments] [options]\n"
     << "       rewind help <command>\n\nCommands:\n";
  OS << listCommands(shellCommands(), /*InShell=*/true);
  OS << "\nOptions of every command:\n";
  OS << optionHelp(loadOptions()) << optionHelp(shellOptions());
  OS << "\nFormats:\n" << formatHelp();
  OS << "\nThe exit status is 0 for an answer, 1 for an error or no answer, 2 "
        "for a\nwrong command line and 130 if interrupted.\n";
  return Text;
}

} // namespace rw
