//===- CallExport.h - Call trees for other people's viewers -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_CALLEXPORT_H
#define REWIND_EXPORT_CALLEXPORT_H

// Every writer streams: memory is bounded by call depth, or by the number of
// distinct call chains where the format wants them summed up. Activations are
// all there, whatever their kind, but for timelines (see TimelineSummary);
// unreturned ones end with the trace.

#include "core/calls/CallSweep.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// What a profile counts.
enum class CostUnit : uint8_t { Instructions, Time };

/// Collapsed stacks, "main;f;g 123" per line, sorted: for flamegraph.pl,
/// inferno and their like. Costs are own costs.
llvm::Error exportFlameGraph(const CallQuery &Q, CostUnit Unit,
                             llvm::raw_ostream &Out);

/// A flame graph as one self-contained SVG: a click zooms, a tooltip tells.
llvm::Error exportSvg(const CallQuery &Q, CostUnit Unit, llvm::StringRef Title,
                      llvm::raw_ostream &Out);

/// speedscope's file format (evented profiles, one per thread):
/// https://www.speedscope.app/file-format-schema.json
llvm::Error exportSpeedscope(const CallQuery &Q, CostUnit Unit,
                             llvm::StringRef Title, llvm::raw_ostream &Out);

/// What a timeline shows: calls during which the clock stands still are left
/// out.
struct TimelineSummary {
  uint64_t Slices = 0, Flat = 0;
};

/// Perfetto's trace.proto: calls as slices on a track per thread, events as
/// instants. The axis is the trace's time (which it must have), or
/// instructions.
llvm::Expected<TimelineSummary> exportPerfetto(const CallQuery &Q,
                                               CostUnit Unit,
                                               llvm::StringRef Title,
                                               llvm::raw_ostream &Out);

/// Chrome's trace event JSON (chrome://tracing, Perfetto, LLDB's `thread trace
/// export ctf` readers): the same as exportPerfetto.
llvm::Expected<TimelineSummary> exportChromeTrace(const CallQuery &Q,
                                                  CostUnit Unit,
                                                  llvm::StringRef Title,
                                                  llvm::raw_ostream &Out);

/// How the trace's time unit converts: nanoseconds per unit, if it is a unit of
/// time at all (cycles and ticks are not).
std::optional<double> nanosecondsPerUnit(llvm::StringRef TimeUnit);

} // namespace rw

#endif // REWIND_EXPORT_CALLEXPORT_H
