//===- ReplayServer.h - The thread behind a replay process -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_REPLAYSERVER_H
#define REWIND_PLUGIN_REPLAYSERVER_H

#include "llvm/Support/Error.h"
#include <memory>

namespace rw {

class LoadedTrace;

/// Serves \p Trace over one end of a new socketpair, from a thread of its own,
/// until the debugger kills the process, detaches or goes away, or someone
/// shuts the other end down. Returns that end, for `process connect fd://N`; it
/// stays the server's, which closes it some time after it has ended. The thread
/// keeps the trace alive, takes it out of the registry when it ends, and is
/// joined at the latest when the plugin is unloaded.
llvm::Expected<int> startReplayServer(std::shared_ptr<LoadedTrace> Trace);

} // namespace rw

#endif // REWIND_PLUGIN_REPLAYSERVER_H
