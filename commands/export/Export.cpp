//===- Export.cpp - rewind export ... -------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/CallSupport.h"
#include "commands/support/TraceLines.h"
#include "core/calls/TtuTree.h"
#include "core/export/CallExport.h"
#include "core/export/Vcd.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

namespace {
constexpr OptionSpec Time{"time", 0, "",
                          "count the trace's time instead of instructions"};
} // namespace

static Expected<CostUnit> costUnit(Session &S, const ParsedOptions &O) {
  if (!O.has("time"))
    return CostUnit::Instructions;
  if (!S.Store.header().Can.Time)
    return userError("the trace tells no time");
  return CostUnit::Time;
}

static std::string title(const Session &S) {
  return sys::path::filename(S.TracePath).str();
}

/// Opens what an export needs, runs it, closes the output.
static Error exportWith(Session &S, const ParsedOptions &O, bool Ttu,
                        function_ref<Error(CallQuery &, raw_ostream &)> Run) {
  if (O.has("json") && O.value("output").value_or("-") == "-")
    return usageError("--json tells what was written: name a file with -o");
  auto Calls = CallsOfSession::open(S, Ttu, !O.has("no-offsets"));
  if (!Calls)
    return Calls.takeError();
  auto File = AnswerFile::open(S, O);
  if (!File)
    return File.takeError();
  CallQuery Q = (*Calls)->query();
  return (*File)->finish(Run(Q, (*File)->os()), O.has("json"));
}

/// For formats that are no text: not into a debugger's console.
static Error refuseConsole(const Session &S, const ParsedOptions &O) {
  if (S.inDebugger() && !O.has("output"))
    return usageError("that format is binary: name a file with -o");
  return Error::success();
}

static Error flameGraph(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  auto Unit = costUnit(S, O);
  if (!Ttu || !Unit)
    return joinErrors(Ttu.takeError(), Unit.takeError());
  return exportWith(S, O, *Ttu, [&](CallQuery &Q, raw_ostream &Out) {
    return *Ttu ? printTtuFlameGraph(Q, Out) : exportFlameGraph(Q, *Unit, Out);
  });
}

static Error svg(Session &S, const ParsedOptions &O) {
  auto Unit = costUnit(S, O);
  if (!Unit)
    return Unit.takeError();
  return exportWith(S, O, false, [&](CallQuery &Q, raw_ostream &Out) {
    return exportSvg(Q, *Unit, title(S), Out);
  });
}

static Error speedscope(Session &S, const ParsedOptions &O) {
  auto Unit = costUnit(S, O);
  if (!Unit)
    return Unit.takeError();
  return exportWith(S, O, false, [&](CallQuery &Q, raw_ostream &Out) {
    return exportSpeedscope(Q, *Unit, title(S), Out);
  });
}

using TimelineExport = Expected<TimelineSummary>(const CallQuery &, CostUnit,
                                                 StringRef, raw_ostream &);

static Error timeline(Session &S, const ParsedOptions &O,
                      TimelineExport &Write) {
  CostUnit Unit = byTime(S, O) ? CostUnit::Time : CostUnit::Instructions;
  return exportWith(S, O, false, [&](CallQuery &Q, raw_ostream &Out) -> Error {
    auto Summary = Write(Q, Unit, title(S), Out);
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

static Error vcd(Session &S, const ParsedOptions &O) {
  auto Ttu = ttuStyle(O);
  if (!Ttu)
    return Ttu.takeError();
  if (!S.Store.header().Can.Time && O.has("use-tarmac-timestamps"))
    return userError("the trace tells no time");
  VcdOptions V;
  V.TtuStyle = *Ttu;
  V.Date = !O.has("no-date");
  V.TraceTimestamps = O.has("use-tarmac-timestamps");
  // Arm's own disassembly is in the trace, if the trace is at hand.
  std::optional<TraceText> Text;
  if (S.Store.header().Can.Lines) {
    auto T = traceLines(S);
    if (T)
      Text = std::move(*T);
    else
      S.warn("the disassembly is not the trace's own: " +
             toString(T.takeError()));
  }
  Error TextFailure = Error::success();
  V.Disassemble = [&](const Instruction &I) {
    std::string D;
    if (Text) {
      if (auto Line = Text->line(I.Line)) {
        D = disassemblyOf(*Line);
      } else {
        TextFailure = joinErrors(std::move(TextFailure), Line.takeError());
        Text.reset();
      }
    }
    return D.empty() ? formatInstruction(S, I.Insn) : D;
  };
  Error E = exportWith(S, O, *Ttu, [&](CallQuery &Q, raw_ostream &Out) {
    Error Failure = exportVcd(Q, V, Out);
    return joinErrors(std::move(Failure), std::move(TextFailure));
  });
  return E;
}

static constexpr OptionSpec FlameGraphOptions[] = {
    opt::JsonOfFile, Time,        opt::Style,
    opt::NoOffsets,  opt::Output, opt::Replace};
static constexpr OptionSpec CostOptions[] = {opt::JsonOfFile, Time, opt::Output,
                                             opt::Replace};
static constexpr OptionSpec TimelineOptions[] = {
    opt::JsonOfFile, opt::ByInstructions, opt::Output, opt::Replace};
static constexpr OptionSpec VcdOptionTable[] = {
    opt::JsonOfFile,
    {"no-date", 0, "", "leave out the date of writing"},
    {"use-tarmac-timestamps", 0, "",
     "the trace's times instead of a tick for each instruction"},
    opt::Style,
    opt::NoOffsets,
    opt::Output,
    opt::Replace,
};

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
};

extern const Command ExportSvgCommand = {
    .Name = "export svg",
    .Summary = "Draw a flame graph that a browser opens",
    .Help = R"(
One self-contained file. A click on a frame zooms in, a click beside them out.

  rewind export svg -o out.svg
)",
    .Options = CostOptions,
    .MaxArguments = 0,
    .Run = svg,
};

extern const Command ExportSpeedscopeCommand = {
    .Name = "export speedscope",
    .Summary = "Write the calls for speedscope",
    .Help = R"(
Every call with its beginning and end, in the file format of
https://www.speedscope.app, a profile for each thread.

  rewind export speedscope -o out.speedscope.json
)",
    .Options = CostOptions,
    .MaxArguments = 0,
    .Run = speedscope,
};

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
};

extern const Command ExportVcdCommand = {
    .Name = "export vcd",
    .Summary = "Write registers and memory accesses as waveforms",
    .Help = R"(
A value change dump (IEEE 1364) with the general and floating-point registers,
pc, function, opcode, disassembly and a simple memory bus, for GTKWave and other
viewers. With --style tarmac the output equals that of tarmac-vcd.

  rewind export vcd --no-date -o out.vcd
)",
    .Options = VcdOptionTable,
    .MaxArguments = 0,
    .Run = vcd,
};

} // namespace rw
