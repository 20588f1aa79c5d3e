//===- Modes.h - Which dependences count ------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_MODES_H
#define REWIND_COMMANDS_DATAFLOW_MODES_H

#include "commands/dataflow/DataflowSupport.h"
#include "core/dataflow/CriticalPath.h"
#include <memory>
#include <set>

namespace rw {

namespace opt {
inline constexpr OptionSpec Control{
    "control", 0, "mode",
    "what waits for branches: none (default), exact, call or all",
    "none|exact|call|all"};
inline constexpr OptionSpec Storage{
    "storage", 0, "mode",
    "raw (default), +war, +waw, +war+waw; of other memory, or, behind a colon, "
    "of registers, stack, memory",
    "raw|+war|+waw|+war+waw"};
inline constexpr OptionSpec LoadLatency{"load-latency", 0, "n",
                                        "what a load takes; else 1"};
inline constexpr OptionSpec StackLatency{
    "stack-latency", 0, "n",
    "what a load from the stack takes; else as others"};
inline constexpr OptionSpec LatencyFile{
    "latency", 0, "file", "lines of a mnemonic (or a glob) and what it takes"};
inline constexpr OptionSpec Free{
    "free", 0, "what",
    "as if it took no time: a function, file:line, or op:mnemonic (globs)"};
} // namespace opt

/// What --control says.
llvm::Expected<dataflow::ControlMode> parseControl(const ParsedOptions &O);
/// What decided that the instructions before \p To were reached, as --control
/// says; null: none. One pass, or two.
llvm::Expected<std::unique_ptr<dataflow::ControlTable>>
controlTable(Session &S, const ParsedOptions &O, dataflow::StepCodes &Codes,
             const CallIndex *Calls, Moment To);
/// What the options say; all but --calls, --dependences and the part.
llvm::Error parseModes(const ParsedOptions &O, dataflow::PathQuery &Q);
/// --from, --to, --thread.
llvm::Error parsePart(Session &S, const ParsedOptions &O,
                      dataflow::PathQuery &Q);
/// " (#100 to #200)", " (thread 2)": which part that is; empty: all.
std::string partText(const Session &S, const ParsedOptions &O,
                     const dataflow::PathQuery &Q);
/// What --latency and --free say.
struct Latencies {
  dataflow::StepCodes::LatencyOf Of; ///< empty: 1 each
  /// Those of --free that matched nothing yet.
  std::shared_ptr<std::set<std::string>> Unused;

  /// Lines of --latency's file that matched nothing yet, as they were given.
  std::shared_ptr<std::set<std::string>> UnusedLines;

  /// An Error if one of --free has matched nothing that was executed.
  llvm::Error check() const;
  /// Which lines of --latency's file, a table that may be for many programs,
  /// have matched nothing.
  std::vector<std::string> remarks() const;
};
llvm::Expected<Latencies> parseLatencies(Session &S, const ParsedOptions &O);

/// "3 instructions are not understood: what they read is missing".
std::string notUnderstood(uint64_t Count);
/// "3 dependences between threads are left out".
std::string leftOut(uint64_t Crossings);
/// "3 instructions are not understood: ..." and its kin.
std::vector<std::string> pathRemarks(const dataflow::PathAnswer &A);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_MODES_H
