//===- Navigation.h - Moving in time ---------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_NAVIGATION_H
#define REWIND_PLUGIN_NAVIGATION_H

#include "commands/support/Session.h"
#include "core/replay/ReplayEngine.h"
#include "lldb/API/SBTarget.h"

namespace rw {

class LoadedTrace;

/// Commands that come while the process runs, as pasted ones do, wait until it
/// has stopped and LLDB has told of that. Fails if the user interrupts, or if
/// no one takes the process's events, or when \p GiveUp says so, which is asked
/// while the target's lock is waited for, too.
llvm::Error awaitStop(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                      LoadedTrace &Trace,
                      llvm::function_ref<bool()> GiveUp = nullptr);

/// The trace of \p Target, which a command works on, once its process stands.
llvm::Expected<std::shared_ptr<LoadedTrace>>
standingTrace(lldb::SBDebugger Debugger, lldb::SBTarget Target);

/// Waits for the stops of all recordings of the debugger, and for whatever else
/// LLDB's own thread has to tell of: it may not survive that the target is
/// deleted meanwhile.
void awaitAllStops(lldb::SBDebugger Debugger);

/// The state alone does not tell: it is still "stopped" when the process has
/// been resumed and LLDB's own thread has not yet heard of it. Frames are to be
/// had only while no one has resumed; what LLDB resumes by itself only the
/// replay and LLDB's private state tell.
bool stands(lldb::SBProcess Process, const LoadedTrace &Trace);

/// While this lives, commands that the thread runs do not wait: they belong to
/// one that has.
struct OwnCommand {
  OwnCommand() { ++Depth; }
  ~OwnCommand() { --Depth; }
  OwnCommand(const OwnCommand &) = delete;
  static thread_local unsigned Depth;
};

/// Takes the debugger to \p To: tells the replay where its next run ends, and
/// resumes the process. Every front end sees an ordinary stop for the reason
/// \p Why. What LLDB prints of it goes to \p Out, if it is in synchronous
/// mode; else it comes with the event.
llvm::Error travel(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                   LoadedTrace &Trace, Instant To, ReplayStop Why,
                   llvm::raw_ostream &Out);

/// Resumes the process. Always forwards, whatever the replay then does: LLDB
/// remembers the direction, and the user's next `continue` goes that way. Steps
/// that LLDB has not finished are given up: they were on their way to a place
/// that is not ahead any more.
llvm::Error resume(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                   llvm::raw_ostream &Out);

/// How many inlined calls deep the innermost frame of \p Thread is shown: LLDB
/// shows it outside of calls that begin with the very next instruction.
uint32_t shownInlined(lldb::SBThread Thread);

/// Where \p Thread stands; an invalid one: the thread that stopped last.
Place placeOfThread(lldb::SBThread Thread, LoadedTrace &Trace);
/// Where the thread stands that a command about \p Target works on.
Place commandPlace(lldb::SBTarget Target, LoadedTrace &Trace);

/// "#12 of 2044, 12 clk, line 345".
llvm::Error printPosition(const TraceStore &Store, Place Where,
                          llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_PLUGIN_NAVIGATION_H
