//===- StateVisit.h - Looking at another time -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_STATEVISIT_H
#define REWIND_PLUGIN_PRIVATE_STATEVISIT_H

#include "commands/support/Session.h"
#include "core/replay/ReplayEngine.h"
#include "lldb/API/SBMutex.h"
#include "lldb/API/SBTarget.h"

namespace rw {

class LoadedTrace;

/// Shows LLDB the state of the stopped process at other times. The process is
/// not resumed: no breakpoint there is hit, no one sees a stop, and in the end
/// the stop, the selected thread and its frames are those of before. Others
/// that want to look at the target wait. Uses private headers of LLDB.
class StateVisit {
public:
  StateVisit(lldb::SBTarget Target, LoadedTrace &Trace);
  ~StateVisit();
  StateVisit(const StateVisit &) = delete;
  StateVisit &operator=(const StateVisit &) = delete;

  /// The thread that \p Where names, at that time.
  llvm::Expected<lldb::SBThread> to(Place Where);

private:
  struct Kept;
  lldb::SBTarget Target;
  LoadedTrace &Trace;
  lldb::SBMutex API;
  std::unique_ptr<Kept> Home;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_STATEVISIT_H
