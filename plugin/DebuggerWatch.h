//===- DebuggerWatch.h - Progress and Ctrl-C in LLDB ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_DEBUGGERWATCH_H
#define REWIND_PLUGIN_DEBUGGERWATCH_H

#include "core/support/Watch.h"
#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBProgress.h"
#include <chrono>
#include <optional>

namespace rw {

/// Shows a command that takes long as LLDB shows progress (status line,
/// SBProgress events, DAP notifications), and stops it when the user interrupts
/// the debugger. LLDB can be asked about that only by the thread that runs the
/// command: so every report asks, and sets the flag that other threads see.
class DebuggerWatch {
public:
  DebuggerWatch(lldb::SBDebugger Debugger, std::string Title)
      : Debugger(Debugger), Title(std::move(Title)) {}
  /// Must not outlive this.
  Watch watch();

private:
  lldb::SBDebugger Debugger;
  const std::string Title;
  std::atomic<bool> Cancel = false;
  std::optional<lldb::SBProgress> Shown;
  std::string What;
  uint64_t Done = 0;
  std::chrono::steady_clock::time_point Next =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(200);

  bool ask();
  void report(llvm::StringRef NowWhat, uint64_t NowDone, uint64_t Total);
};

} // namespace rw

#endif // REWIND_PLUGIN_DEBUGGERWATCH_H
