//===- ExportFlameGraph.cpp - rewind export flamegraph --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"
#include "core/calls/TtuTree.h"

using namespace llvm;

namespace rw {

static Error flameGraph(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  auto Unit = costUnit(S, O);
  if (!Ttu || !Unit)
    return joinErrors(Ttu.takeError(), Unit.takeError());
  return exportCalls(S, O, *Ttu, [&](CallQuery &Q, raw_ostream &Out) {
    return *Ttu ? printTtuFlameGraph(Q, Out) : exportFlameGraph(Q, *Unit, Out);
  });
}

static constexpr OptionSpec FlameGraphOptions[] = {
    opt::JsonOfFile, opt::CostTime, opt::Style,
    opt::NoOffsets,  opt::Output,   opt::Replace};

extern const Command ExportFlameGraphCommand = {
    .Name = "export flamegraph",
    .Summary = "Write collapsed stacks for flame graph tools",
    .Help = R"(
A line for each chain of callers, "main;parse;next 1234", with the instructions
(or, with --time, the trace's time) spent in the last one itself. With --style
tarmac the output equals that of tarmac-flamegraph.

  rewind export flamegraph -o out.folded
)",
    .Options = FlameGraphOptions,
    .MaxArguments = 0,
    .Run = flameGraph,
    .OnlyAsks = true,
};

} // namespace rw
