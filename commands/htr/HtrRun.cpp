//===- HtrRun.cpp - rewind htr run ----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "commands/htr/HtrLayers.h"

using namespace llvm;

namespace rw {

static Error runHtrRun(Session &S, const ParsedOptions &Options) {
  htr::RunOptions Run;
  if (!Options.arguments().empty())
    Run.Pipeline = Options.arguments()[0];
  auto Passes = htr::parsePipeline(Run.Pipeline);
  if (!Passes)
    return usageError(toString(Passes.takeError()));
  for (auto [Option, Pass] : {std::pair("once", "bsb"),
                              {"similar", "loops"},
                              {"max-body", "loops"},
                              {"recursion", "functions"}})
    if (Options.has(Option) &&
        none_of(*Passes, [&](const htr::Pass *P) { return P->Name == Pass; }))
      return usageError(Twine("--") + Option + " is for the pass " + Pass +
                        ", which is not to be run");
  Run.Passes.Once = Options.has("once");
  Run.Passes.Similar = Options.has("similar");
  struct {
    StringRef Name;
    unsigned &Value;
    uint64_t Max;
  } Numbers[] = {{"max-body", Run.Passes.MaxBody, 4096},
                 {"recursion", Run.Passes.Recursion, 1000}};
  for (auto &N : Numbers) {
    auto Given = Options.number(N.Name);
    if (!Given)
      return Given.takeError();
    if (!*Given)
      continue;
    if (!**Given || **Given > N.Max)
      return usageError("--" + N.Name + " must be from 1 to " + Twine(N.Max));
    N.Value = **Given;
  }
  auto File = computeHtr(S, Run, /*MustKeep=*/true);
  if (!File)
    return File.takeError();
  return printLayers(S, **File, Options.has("json"));
}

static constexpr OptionSpec HtrRunOptions[] = {
    opt::Json,
    {"once", 0, "", "one round of a pass that repeats (bsb)"},
    {"similar", 0, "", "loops: fold iterations that differ as n x {A | B}"},
    {"max-body", 0, "units", "loops: longest body (64)"},
    {"recursion", 0, "n",
     "functions: blocks of one function nested in each other (1,000)"},
};

extern const Command HtrRunCommand = {
    .Name = "htr run",
    .Summary = "Summarise the trace in layers of blocks",
    .Arguments = "[<pass>,...]",
    .Help = R"(
Runs passes over the instructions of the trace, each on top of the one before,
and keeps the layers beside the index. Without a list of passes it runs
functions,bsb,flow-loops. The passes are:

  functions   each activation of a function becomes one block
  bsb         basic super blocks: what always occurs in the same order
  flow-loops  loops by control flow, nested, with every round of them
  loops       repetitions become n x (body), nested ones inside out
  grammar     whatever occurs more than once becomes a block

The pass loops takes rounds that are equal for a loop, and with --similar those
that are alike; flow-loops needs no rounds to be alike.

  rewind htr run
  rewind htr run bsb,loops --similar
)",
    .Options = HtrRunOptions,
    .MaxArguments = 1,
    .Run = runHtrRun,
};

} // namespace rw
