//===- DebuggerState.h - What LLDB does not tell a process ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_DEBUGGERSTATE_H
#define REWIND_PLUGIN_PRIVATE_DEBUGGERSTATE_H

#include "commands/support/ProgramVariables.h"
#include "core/replay/StopConditions.h"
#include "lldb/API/SBTarget.h"
#include "lldb/API/SBValue.h"
#include "lldb/API/SBWatchpoint.h"
#include <memory>

namespace rw {

class LoadedTrace;

/// Looks into LLDB from the thread that answers it, while LLDB waits for that
/// answer: so it takes none of LLDB's locks that a waiting thread may hold.
/// Uses private headers of LLDB.
class DebuggerState {
public:
  /// Null in an LLDB of another version, and if there is no process.
  static std::shared_ptr<DebuggerState> of(lldb::SBTarget Target,
                                           std::weak_ptr<LoadedTrace> Trace);
  virtual ~DebuggerState() = default;

  /// Someone waits for the process to stop (Ctrl-C, `process interrupt`,
  /// SBProcess::Stop). LLDB tells the process only if it runs at that moment:
  /// but if a condition is LLDB's to test, the process stands still nearly
  /// always, and LLDB forgets that it was asked to.
  virtual bool stopWanted() const = 0;

  /// The conditions of the user's breakpoints and watchpoints; nothing if LLDB
  /// is about to change them.
  virtual std::optional<ConditionTexts> conditions() const = 0;

  /// Counts hits that were passed by because they are to be ignored, as LLDB
  /// would have. False if LLDB is about to change what counts them.
  virtual bool count(const IgnoredHits &Passed) const = 0;

  /// How many hits of the breakpoints at \p PC LLDB has counted; nothing if it
  /// is about to change them.
  virtual std::optional<uint64_t> hitsAt(uint64_t PC) const = 0;

  /// Whether the thread \p Id, which LLDB steps off a breakpoint, will run
  /// then.
  virtual bool runsOn(lldb::tid_t Id) const = 0;

  /// Makes LLDB take the next write of what is not known here for a change: it
  /// would compare zeros. To be called before a run, and where it \p Ended
  /// before LLDB is told so.
  virtual void forgetUnknown(bool Ended) const = 0;

  /// LLDB's interpreter gives a division by zero a value, and knows no mixed
  /// floating-point numbers. To be called before LLDB is told of a stop: the
  /// watchpoints at \p Addr with the condition of \p Why stop there without
  /// one, and putBack() tells why if it does not hold.
  virtual void setAside(uint64_t Addr, const StopReason &Why) const = 0;
  /// Their conditions are theirs again. Returns what to tell the user.
  virtual std::vector<std::string> putBack() const = 0;

  /// What to show for a value that a watchpoint keeps; nothing for any other,
  /// and if LLDB shows it well.
  virtual std::optional<std::string> watchedText(lldb::SBValue Value) const = 0;

  /// To be called for a new watchpoint: whether LLDB has shown other than what
  /// it will. \p Type is that of what it watches, if LLDB does not know it;
  /// \p ByAddress if LLDB was given its address.
  virtual bool isShownOtherwise(lldb::SBWatchpoint W, lldb::SBType Type,
                                bool ByAddress) const = 0;

  /// Where conditions look for the program's variables.
  virtual std::vector<ProgramVariables::Image> images() const = 0;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_DEBUGGERSTATE_H
