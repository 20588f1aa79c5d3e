//===- ShellOptions.cpp - Options of every shell command ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/cli/ShellOptions.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

static constexpr OptionSpec Shell[] = {
    {"image", 'i', "elf[@addr]", "ELF image of the program, and where it lay"},
    {"format", 0, "name", "format of the trace, if it is not recognised"},
    {"index", 0, "path", "where the store is (default: <trace>.rewind)"},
    {"force-index", 0, "", "build the store even if there is a good one"},
    {"no-index", 0, "", "never build it: fail if there is no good one"},
    {"only-index", 0, "", "build it and stop"},
    {"big-endian", 0, "", "the traced CPU was big-endian (also --bi)"},
    {"bi", 0, "", "the same"},
    {"li", 0, "", "the traced CPU was little-endian (the default)"},
    {"implicit-thumb", 0, "", "instructions without a state are Thumb"},
    {"missing-modules", 0, "",
     "Intel PT: go on without modules that are missing or of another build"},
    {"show-progress-meter", 0, "", "progress even if stderr is no terminal"},
    {"verbose", 'v', "", "say what is done and why"},
    {"quiet", 'q', "", "no progress, no remarks"},
    {"help", 'h', "", "explain the command"},
};

ArrayRef<OptionSpec> shellOptions() { return Shell; }

std::string suggestion(StringRef Name) {
  StringRef Best;
  unsigned BestDistance = 3;
  for (const Command *C : commands()) {
    unsigned D = Name.edit_distance(C->Name, true, BestDistance);
    if (D < BestDistance) {
      BestDistance = D;
      Best = C->Name;
    }
  }
  return Best.empty() ? "" : "; did you mean '" + Best.str() + "'?";
}

Expected<CommandLine> parseCommandLine(ArrayRef<StringRef> W) {
  // The name is the first word that is no option and no option's value.
  size_t First = 0;
  while (First < W.size() && W[First].starts_with("-")) {
    StringRef Word = W[First++];
    for (const OptionSpec &O : Shell)
      if (!O.Value.empty() && (Word == "--" + O.Long.str() ||
                               (O.Short && Word == std::string("-") + O.Short)))
        ++First;
  }
  CommandLine L;
  SmallVector<StringRef> Rest(W.take_front(std::min(First, W.size())));
  unsigned Used = 0;
  if (First < W.size()) {
    L.What = findCommand(W.drop_front(First), Used);
    L.Name = L.What ? L.What->Name.str() : W[First].str();
    Used = std::max(Used, 1u);
    append_range(Rest, W.drop_front(First + Used));
  }
  auto Parsed = L.What ? parseOptions({L.What->Options, Shell}, Rest)
                       : parseOptions({ArrayRef(Shell)}, Rest);
  if (!Parsed)
    return Parsed.takeError();
  L.Options = std::move(*Parsed);
  bool Help = L.Name.empty() || L.Name == "help" || L.Options.has("help");
  if (Help) {
    if (!L.What && L.Name != "index")
      L.Name = "help";
    return L;
  }
  if (!L.What && L.Name != "index") {
    // Two-word commands: "bookmark" alone.
    std::string Family;
    for (const Command *C : commands())
      if (C->Name.starts_with(L.Name + " "))
        Family += (Family.empty() ? "" : ", ") + C->Name.str();
    if (!Family.empty())
      return userError("'" + L.Name + "' wants one more word: " + Family);
    if (L.Name == "load")
      return userError("'load' is for LLDB; in the shell every command takes "
                       "the trace: rewind info <trace>");
    return userError("no command '" + L.Name + "'" + suggestion(L.Name) +
                     " (rewind help lists them)");
  }
  if (L.Options.arguments().empty())
    return userError("the trace is missing; usage: " +
                     (L.What ? usage(*L.What, true)
                             : std::string("rewind index <trace> [options]")));
  L.Trace = L.Options.takeFirst();
  return L;
}

Expected<IndexOptions> indexOptions(const ParsedOptions &O) {
  IndexOptions I;
  I.Format = O.value("format").value_or("").str();
  I.IndexPath = O.value("index").value_or("").str();
  I.Force = O.has("force-index");
  I.Never = O.has("no-index");
  bool Big = O.has("big-endian") || O.has("bi");
  if (Big && O.has("li"))
    return userError("--big-endian and --li contradict each other");
  if (I.Force && I.Never)
    return userError("--force-index and --no-index contradict each other");
  if (I.Never && O.has("only-index"))
    return userError("--no-index and --only-index contradict each other");
  I.Reader.BigEndian = Big;
  I.Reader.MissingModules = O.has("missing-modules");
  I.Reader.ImplicitThumb = O.has("implicit-thumb");
  return I;
}

std::string overview() {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "rewind: ask a processor trace what happened.\n\n"
     << "Usage: rewind <command> <trace> [arguments] [options]\n"
     << "       rewind help <command>\n\nCommands:\n";
  OS << formatv("  {0,-17} {1}\n", "index",
                "Build the store of a trace and stop");
  for (const Command *C : commands())
    OS << formatv("  {0,-17} {1}\n", C->Name, C->Summary);
  OS << "\nOptions of every command:\n";
  for (const OptionSpec &O : Shell) {
    std::string Form = O.Short ? std::string("-") + O.Short + ", " : "    ";
    Form += "--" + O.Long.str();
    if (!O.Value.empty())
      Form += " <" + O.Value.str() + ">";
    OS << formatv("  {0,-28} {1}\n", Form, O.Help);
  }
  OS << "\nFormats:\n";
  for (const TraceFormat &F : traceFormats())
    OS << formatv("  {0,-17} {1}\n", F.Name, F.Description);
  OS << "\nThe exit status is 0 for an answer, 1 for an error or no answer, 2 "
        "for a\nwrong command line and 130 if interrupted.\n";
  return Text;
}

} // namespace rw
