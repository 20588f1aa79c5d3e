//===- ShellOptions.cpp - Options of every shell command ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"
#include "commands/dap/Dap.h"
#include "commands/support/LoadOptions.h"
#include "commands/view/View.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static constexpr OptionSpec Shell[] = {
    {"show-progress-meter", 0, "",
     "show progress even if stderr is no terminal"},
    {"verbose", 'v', "", "tell what is done and why"},
    {"quiet", 'q', "", "no progress, no remarks"},
    {"help", 'h', "", "explain the command"},
};

NamedCommand nameShellCommand(ArrayRef<StringRef> Words) {
  unsigned Used = 0;
  if (const Command *C = findCommand(Words, Used))
    return {C, Used, "", ""};
  std::vector<const Command *> All = {&IndexCommand, &ViewCommand,
                                      &BrowseCommand, &DapCommand};
  append_range(All, commands());
  return nameCommand(All, Words, {"help"});
}

/// The arguments of \p C that come before the trace: what is chosen, unless the
/// trace comes first, as was the only way once.
static size_t tracePlace(const Command &C, ArrayRef<std::string> Arguments) {
  SmallVector<StringRef> Choices;
  choice(C).split(Choices, '|', -1, /*KeepEmpty=*/false);
  return Arguments.size() > 1 && is_contained(Choices, Arguments[0]) ? 1 : 0;
}

Expected<CommandLine> parseCommandLine(ArrayRef<StringRef> W) {
  // The name is the first word that is no option and no option's value.
  size_t First = 0;
  while (First < W.size() && W[First].starts_with("-")) {
    StringRef Word = W[First++];
    // None of the shell's own has a value.
    for (const OptionSpec &O : loadOptions())
      if (!O.Value.empty() && (Word == "--" + O.Long.str() ||
                               (O.Short && Word == std::string("-") + O.Short)))
        ++First;
  }
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
      auto Family = parseOptions({Shell}, {Named.Family});
      if (!Family)
        return Family.takeError();
      L.Options = std::move(*Family);
      L.Name = "help";
      return L;
    }
    if (!Named.Wrong.empty())
      return userError(Named.Wrong + " (rewind help lists them)");
  }
  auto Parsed = parseOptions(
      {L.What ? L.What->Options : ArrayRef<OptionSpec>(), loadOptions(), Shell},
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

namespace {
/// Commands that follow one another in the registry.
struct CommandGroup {
  StringLiteral First; ///< the command that it begins with
  StringLiteral Title;
  StringLiteral Example; ///< whose first example stands for it
};
} // namespace

static constexpr CommandGroup Groups[] = {
    {"index", "To begin with", "view"},
    {"info", "What happened, and where", "find"},
    {"last-write", "Where values come from", "last-write"},
    {"calls tree", "Who called whom", "calls tree"},
    {"profile functions", "What costs", "profile tree"},
    {"export flamegraph", "Files for other tools", "export flamegraph"},
    {"bookmark add", "Bookmarks", "bookmark add"},
    {"slice", "What depends on what", "slice"},
    {"htr run", "What repeats", "htr dump"},
    {"htm stats", "POWER traces", "htm stats"},
    {"serve", "For other programs", "serve"},
};

/// The first example in the help of \p C.
static std::string firstExample(const Command &C) {
  const std::string Help = helpText(C, /*InShell=*/true);
  for (StringRef Line : split(Help, '\n'))
    if (Line.starts_with(("  rewind " + C.Name).str()))
      return Line.trim().str();
  return "";
}

std::string familyHelp(StringRef Family) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "Usage: rewind " << Family
     << " <command> <trace> [arguments] [options]\n       rewind help "
     << Family << " <command>\n\nCommands, each with an example:\n";
  for (const Command *C : commands()) {
    if (C->Name.split(' ').first != Family)
      continue;
    OS << formatv("  {0,-19} {1}\n", C->Name, C->Summary);
    if (std::string Example = firstExample(*C); !Example.empty())
      OS << formatv("  {0,-19}   {1}\n", "", Example);
  }
  return Text;
}

std::string overview() {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "rewind: ask a processor trace what happened.\n\n"
     << "Usage: rewind <command> <trace> [arguments] [options]\n"
     << "       rewind help <command>\n\nCommands:\n";
  auto Row = [&](const Command &C) {
    for (const CommandGroup &G : Groups)
      if (G.First == C.Name) {
        SmallVector<StringRef> Words;
        G.Example.split(Words, ' ');
        OS << " " << G.Title << ": "
           << firstExample(*nameShellCommand(Words).What) << "\n";
      }
    OS << formatv("  {0,-17} {1}\n", C.Name, C.Summary);
  };
  Row(IndexCommand);
  Row(ViewCommand);
  Row(BrowseCommand);
  for (const Command *C : commands())
    Row(*C);
  Row(DapCommand);
  OS << "\nOptions of every command:\n";
  OS << optionHelp(loadOptions()) << optionHelp(Shell);
  OS << "\nFormats:\n" << formatHelp();
  OS << "\nThe exit status is 0 for an answer, 1 for an error or no answer, 2 "
        "for a\nwrong command line and 130 if interrupted.\n";
  return Text;
}

} // namespace rw
