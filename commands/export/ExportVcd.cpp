//===- ExportVcd.cpp - rewind export vcd ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"
#include "commands/support/TraceLines.h"
#include "core/export/Vcd.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

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
  Error E = exportCalls(S, O, *Ttu, [&](CallQuery &Q, raw_ostream &Out) {
    Error Failure = exportVcd(Q, V, Out);
    return joinErrors(std::move(Failure), std::move(TextFailure));
  });
  return E;
}

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
    .OnlyAsks = true,
};

} // namespace rw
