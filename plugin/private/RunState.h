//===- RunState.h - What LLDB makes of a run --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_RUNSTATE_H
#define REWIND_PLUGIN_PRIVATE_RUNSTATE_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBEvent.h"
#include "lldb/API/SBMutex.h"
#include "lldb/API/SBProcess.h"
#include "lldb/API/SBThread.h"
#include "llvm/ADT/SmallVector.h"

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

/// Whether a listener has \p Event in its queue or deals with it: LLDB's thread
/// does so until it has drawn its status line, for which it reads the thread.
/// In an LLDB of another version, which does not tell, false.
bool isInUse(const lldb::SBEvent &Event);

/// While this lives, others can use the debugger's targets, though the thread
/// may be one that has locked them, as SBDebugger::HandleCommand does. LLDB's
/// own thread, which draws the status line, takes no event else.
class UnlockedTargets {
public:
  explicit UnlockedTargets(lldb::SBDebugger Debugger);
  UnlockedTargets(const UnlockedTargets &) = delete;
  ~UnlockedTargets();

private:
  /// Once for each time that it had been locked.
  llvm::SmallVector<lldb::SBMutex, 2> Locked;
};

/// Whether a command that was typed, or came from a file, is under way.
bool commandRuns(lldb::SBDebugger Debugger);

/// In an LLDB of another version, which does not tell, false.
bool hasStatusLine(lldb::SBDebugger Debugger);

/// As `settings set show-statusline` does.
void showStatusLine(lldb::SBDebugger Debugger, bool Shown);

/// Makes the status line show \p Thread when the next event has been dealt
/// with: LLDB does so only for stops that it is sent events of. False if there
/// is no status line.
bool showInStatusLine(lldb::SBDebugger Debugger, lldb::SBThread Thread);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_RUNSTATE_H
