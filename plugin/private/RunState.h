//===- RunState.h - What LLDB makes of a run --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_RUNSTATE_H
#define REWIND_PLUGIN_PRIVATE_RUNSTATE_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBProcess.h"
#include "lldb/API/SBThread.h"

namespace rw {

class LoadedTrace;

/// Whether the replay's last stop is LLDB's, too, and LLDB has not resumed
/// since. In an LLDB of another version, which does not tell, always.
bool lastStopIsKnown(lldb::SBProcess Process, const LoadedTrace &Trace);

/// Who takes the events that are sent to a debugger, and so makes stops public.
enum class EventTaker {
  LLDB,       ///< its own thread, as at a prompt: certain, and in turn
  ThisThread, ///< that thread is asking
  Others,     ///< a front end, a script, nobody; or LLDB is of another version
};
EventTaker eventTaker(lldb::SBDebugger Debugger);

/// Whether a command that was typed, or came from a file, is under way.
bool commandRuns(lldb::SBDebugger Debugger);

/// Makes the status line show \p Thread when the next event has been dealt
/// with: LLDB does so only for stops that it is sent events of. False if there
/// is no status line.
bool showInStatusLine(lldb::SBDebugger Debugger, lldb::SBThread Thread);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_RUNSTATE_H
