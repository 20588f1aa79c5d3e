//===- LoadedTrace.h - A trace that a debugger has loaded ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_LOADEDTRACE_H
#define REWIND_PLUGIN_LOADEDTRACE_H

#include "commands/Session.h"
#include "core/calls/CallIndex.h"
#include "lldb/API/SBTarget.h"
#include "plugin/HiddenData.h"
#include "plugin/MemoryView.h"
#include "plugin/ReplayEngine.h"

namespace rw {

/// Everything that belongs to one `rewind load`. Shared by the replay server's
/// thread, by commands that are running, and by LLDB's trace object; gone when
/// the last of them is.
class LoadedTrace {
public:
  LoadedTrace(std::shared_ptr<const TraceStore> Store, std::string TracePath,
              std::string StorePath);

  const TraceStore &store() const { return *Store; }
  std::shared_ptr<const TraceStore> sharedStore() const { return Store; }
  /// The call index, opened at first need; an Error if the store has none. May
  /// be called from several threads.
  llvm::Expected<const CallIndex *> calls();
  ReplayEngine &engine() { return Engine; }
  MemoryView &memory() { return Memory; }
  SessionMemory &session() { return Session; }
  const std::string &tracePath() const { return TracePath; }
  const std::string &storePath() const { return StorePath; }
  /// What the user typed, for others to load the same elsewhere.
  const std::string &loadCommand() const { return LoadCommand; }
  void setLoadCommand(std::string Text) { LoadCommand = std::move(Text); }
  /// The process id that LLDB sees; unique among the loaded traces.
  uint64_t pid() const { return Pid; }
  /// Shows the user a line out of turn, on the debugger's error stream.
  void notice(llvm::StringRef Line) const;
  void setDebugger(lldb::user_id_t Id) { Debugger = Id; }
  /// The target's triple.
  const std::string &triple() const { return Triple; }
  void setTriple(std::string Text) { Triple = std::move(Text); }
  /// Keeps the program's initial data from being shown as if it were known.
  void setHidden(std::unique_ptr<HiddenData> H) { Hidden = std::move(H); }
  /// While quiet, stops are not announced to the user.
  bool quiet() const { return Quiet; }
  void setQuiet(bool On) { Quiet = On; }

private:
  const std::shared_ptr<const TraceStore> Store;
  const std::string TracePath, StorePath;
  std::string LoadCommand, Triple;
  const uint64_t Pid;
  lldb::user_id_t Debugger = LLDB_INVALID_UID;
  ReplayEngine Engine;
  MemoryView Memory;
  SessionMemory Session;
  std::mutex CallsMutex;
  std::unique_ptr<CallIndex> Calls;
  std::unique_ptr<HiddenData> Hidden;
  std::atomic<bool> Quiet = false;
};

/// Ties a trace to the target's current process.
void rememberTrace(lldb::SBTarget Target, std::shared_ptr<LoadedTrace> Trace);
/// The trace that the target's process replays; null if it is none of ours.
std::shared_ptr<LoadedTrace> traceOf(lldb::SBTarget Target);
/// Called when the process is gone.
void forgetTrace(const LoadedTrace &Trace);

} // namespace rw

#endif // REWIND_PLUGIN_LOADEDTRACE_H
