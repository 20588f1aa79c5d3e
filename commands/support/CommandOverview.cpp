//===- CommandOverview.cpp - The list that help begins with ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CommandOverview.h"
#include "commands/support/CommandNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

namespace {
/// Commands that follow one another in the registry.
struct CommandGroup {
  StringLiteral First; ///< the command that it begins with
  StringLiteral Title;
  StringLiteral Example; ///< whose first example stands for it
};
} // namespace

static constexpr CommandGroup Groups[] = {
    {"index", "To begin with", "view"}, // the shell's
    {"load", "To begin with", "load"},  // LLDB's
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
static std::string firstExample(const Command &C, bool InShell) {
  const std::string Help = helpText(C, InShell);
  for (StringRef Line : split(Help, '\n'))
    if (Line.starts_with(("  rewind " + C.Name).str()))
      return Line.trim().str();
  return "";
}

std::string familyHelp(StringRef Family, bool InShell) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "Usage: rewind " << Family
     << (InShell ? " <command> <trace>" : " <command>")
     << " [arguments] [options]\n       rewind help " << Family
     << " <command>\n\n";
  if (const StringRef Alone = familyAction(Family); !Alone.empty())
    OS << "'rewind " << Family << "' alone is 'rewind " << Family << " "
       << Alone << "'.\n\n";
  OS << "Commands, each with an example:\n";
  for (const Command *C : commands()) {
    if (C->Name.split(' ').first != Family || (C->ShellOnly && !InShell))
      continue;
    OS << formatv("  {0,-19} {1}\n", C->Name, C->Summary);
    if (std::string Example = firstExample(*C, InShell); !Example.empty())
      OS << formatv("  {0,-19}   {1}\n", "", Example);
  }
  return Text;
}

std::string listCommands(ArrayRef<const Command *> All, bool InShell) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto Named = [&](StringRef Name) -> const Command * {
    const auto *C =
        find_if(All, [&](const Command *Other) { return Other->Name == Name; });
    return C == All.end() ? nullptr : *C;
  };
  for (const Command *C : All) {
    for (const CommandGroup &G : Groups)
      if (const Command *Example = Named(G.Example);
          G.First == C->Name && Example)
        OS << " " << G.Title << ": " << firstExample(*Example, InShell) << "\n";
    OS << formatv("  {0,-17} {1}\n", C->Name, C->Summary);
  }
  return Text;
}

} // namespace rw
