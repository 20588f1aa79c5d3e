//===- ExportTimeline.cpp - rewind export perfetto, export ctf ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"

using namespace llvm;

namespace rw {

/// For formats that are no text: not into a debugger's console.
static Error refuseConsole(const Session &S, const ParsedOptions &O) {
  if (S.inDebugger() && !O.has("output"))
    return usageError("that format is binary: name a file with -o");
  return Error::success();
}

using TimelineExport = Expected<TimelineSummary>(const CallQuery &, CostUnit,
                                                 StringRef, raw_ostream &);

static Error timeline(Session &S, const ParsedOptions &O,
                      TimelineExport &Write) {
  CostUnit Unit = byTime(S, O) ? CostUnit::Time : CostUnit::Instructions;
  return exportCalls(S, O, false, [&](CallQuery &Q, raw_ostream &Out) -> Error {
    auto Summary = Write(Q, Unit, exportTitle(S), Out);
    if (!Summary)
      return Summary.takeError();
    if (Unit == CostUnit::Time)
      warnOfFlat(S, Summary->Flat, "calls");
    return Error::success();
  });
}

static Error perfetto(Session &S, const ParsedOptions &O) {
  if (Error E = refuseConsole(S, O))
    return E;
  return timeline(S, O, exportPerfetto);
}

static Error chromeTrace(Session &S, const ParsedOptions &O) {
  return timeline(S, O, exportChromeTrace);
}

static constexpr OptionSpec TimelineOptions[] = {
    opt::JsonOfFile, opt::ByInstructions, opt::Output, opt::Replace};

extern const Command ExportPerfettoCommand = {
    .Name = "export perfetto",
    .Summary = "Write a timeline for Perfetto",
    .Help = R"(
Calls as slices on a track per thread, exceptions, gaps and marks as instants:
https://ui.perfetto.dev opens it. Cycles and ticks are shown as nanoseconds, and
with --instructions instructions are.

  rewind export perfetto -o out.perfetto-trace
)",
    .Options = TimelineOptions,
    .MaxArguments = 0,
    .Run = perfetto,
};

extern const Command ExportCtfCommand = {
    .Name = "export ctf",
    .Summary = "Write a timeline as Chrome trace events",
    .Help = R"(
The same timeline as `export perfetto`, as the JSON that chrome://tracing and
its successors read. Cycles and ticks are shown as microseconds, and with
--instructions instructions are.

  rewind export ctf -o out.json
)",
    .Options = TimelineOptions,
    .MaxArguments = 0,
    .Run = chromeTrace,
    .OnlyAsks = true,
};

} // namespace rw
