//===- StopWatcher.h - What happens at every stop ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_STOPWATCHER_H
#define REWIND_PLUGIN_PRIVATE_STOPWATCHER_H

#include "lldb/API/SBTarget.h"
#include <memory>

namespace rw {

class LoadedTrace;

/// Lets us see the stops of the target's process: those that the user is told
/// of end the jump that led there, and a stop hook that the user may delete
/// prints the position. Every stop, of whatever kind, begins without stack
/// frames that were made while the process ran. Returns a warning, or nothing.
std::string watchStops(lldb::SBTarget Target,
                       std::shared_ptr<LoadedTrace> Trace);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_STOPWATCHER_H
