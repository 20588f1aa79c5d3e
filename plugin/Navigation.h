//===- Navigation.h - Moving in time -----------------------------*- C++
//-*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_NAVIGATION_H
#define REWIND_PLUGIN_NAVIGATION_H

#include "commands/Session.h"
#include "lldb/API/SBTarget.h"
#include "plugin/ReplayEngine.h"

namespace rw {

class LoadedTrace;

/// Takes the debugger to \p To: tells the replay where its next run ends, and
/// resumes the process. Every front end sees an ordinary stop for the reason
/// \p Why. What LLDB prints of it goes to \p Out, if it is in synchronous
/// mode; else it comes with the event.
llvm::Error travel(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                   LoadedTrace &Trace, Instant To, ReplayStop Why,
                   llvm::raw_ostream &Out);

/// Resumes the process. Always forwards, whatever the replay then does: LLDB
/// remembers the direction, and the user's next `continue` goes that way.
llvm::Error resume(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                   llvm::raw_ostream &Out);

/// As travel(), without anyone noticing: no stop is printed, no stop hook
/// speaks.
llvm::Error visitQuietly(lldb::SBDebugger Debugger, lldb::SBTarget Target,
                         LoadedTrace &Trace, Place To);

/// Where the target's selected thread stands.
Place selectedPlace(lldb::SBTarget Target, LoadedTrace &Trace);

/// "#12 of 2044, 12 clk, line 345".
llvm::Error printPosition(const TraceStore &Store, Place Where,
                          llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_PLUGIN_NAVIGATION_H
