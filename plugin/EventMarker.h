//===- EventMarker.h - Where a debugger is with its events ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_EVENTMARKER_H
#define REWIND_PLUGIN_EVENTMARKER_H

#include "lldb/API/SBBroadcaster.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBEvent.h"
#include "lldb/API/SBListener.h"
#include "plugin/private/RunState.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <chrono>
#include <optional>

namespace rw {

/// An event to a debugger of which nothing follows, but that it is taken, and
/// dealt with, in turn: after those that were sent before. The debugger must
/// not be one that is being destroyed.
class EventMarker {
public:
  explicit EventMarker(lldb::SBDebugger Debugger);
  EventMarker(const EventMarker &) = delete;
  ~EventMarker();

  /// Whether \p Taker, who takes the debugger's events, has not dealt with it.
  bool isUnderWay(EventTaker Taker);
  /// Until it is not, or \p GiveUp says so. False if \p Patience ended first.
  bool await(EventTaker Taker, std::chrono::milliseconds Patience,
             llvm::function_ref<bool()> GiveUp = nullptr);

private:
  lldb::SBListener Listener;
  lldb::SBBroadcaster Sender;
  const lldb::SBEvent Event{1, "", 0};
};

/// LLDB's own thread draws the status line after each event, and reads for it
/// why the thread stopped and where. It does so without a lock and while the
/// process runs, too: a stop meanwhile would free what it reads. A replay is
/// quick enough for that, where processes are not.
class StatusLineDrawn {
public:
  /// Returns once nothing is drawn any more, which is soon unless LLDB's thread
  /// waits for somebody: then after a moment, and at once the next times.
  void await(lldb::SBDebugger Debugger);

private:
  std::optional<EventMarker> Last; ///< was not dealt with in time
};

} // namespace rw

#endif // REWIND_PLUGIN_EVENTMARKER_H
