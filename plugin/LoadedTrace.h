//===- LoadedTrace.h - A trace that a debugger has loaded ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_LOADEDTRACE_H
#define REWIND_PLUGIN_LOADEDTRACE_H

#include "commands/support/Movements.h"
#include "core/calls/CallIndex.h"
#include "core/replay/MemoryView.h"
#include "core/replay/ReplayEngine.h"
#include "lldb/API/SBTarget.h"
#include "plugin/InterruptSignal.h"
#include "plugin/ModuleSymbols.h"
#include "plugin/private/HiddenData.h"
#include <thread>

namespace rw {

class DebuggerState;
class ScopedNames;

/// Everything that belongs to one `rewind load`. Shared by the replay server's
/// thread, by commands that are running, and by LLDB's trace object; gone when
/// the last of them is.
class LoadedTrace {
public:
  LoadedTrace(std::shared_ptr<const TraceStore> Store, std::string TracePath,
              std::string StorePath);
  ~LoadedTrace();

  const TraceStore &store() const { return *Store; }
  std::shared_ptr<const TraceStore> sharedStore() const { return Store; }
  /// The call index, opened at first need; an Error if the store has none. May
  /// be called from several threads.
  llvm::Expected<const CallIndex *> calls();
  ReplayEngine &engine() { return Engine; }
  MemoryView &memory() { return Memory; }
  /// For the thread that runs commands.
  SessionMemory &session();
  /// Another thread has moved away from \p Where, as `rewind goto` would.
  void jumpedFrom(Place Where);
  /// The user is told of a stop at \p Where, by whatever he moved: `rewind
  /// back` goes back from it. \p Stepped: by one of several steps, which count
  /// as one movement. \p Selected: the thread that was, where one went from.
  void cameTo(Place Where, bool Stepped,
              std::optional<ThreadIndex> Selected = std::nullopt);
  /// The next stop is that of a command that keeps track of its movement
  /// itself, or, \p On being false, there will be none.
  void expectOwnMove(bool On) {
    std::lock_guard<std::mutex> Lock(JumpsMutex);
    Moved.expectOwn(On);
  }
  ModuleSymbols &symbols() { return Symbols; }
  ScopedNames &names() { return *Names; }
  const std::string &tracePath() const { return TracePath; }
  const std::string &storePath() const { return StorePath; }
  /// What the user typed, for others to load the same elsewhere.
  const std::string &loadCommand() const { return LoadCommand; }
  void setLoadCommand(std::string Text) { LoadCommand = std::move(Text); }
  /// The process id that LLDB sees; unique among the loaded traces.
  uint64_t pid() const { return Pid; }
  /// Shows the user a line out of turn, on the debugger's error stream.
  void print(llvm::StringRef Line) const;
  /// Shows the user a line as a note.
  void notice(llvm::StringRef Line) const;
  void setDebugger(lldb::user_id_t Id) { Debugger = Id; }
  lldb::user_id_t debugger() const { return Debugger; }
  /// The target's triple.
  const std::string &triple() const { return Triple; }
  void setTriple(std::string Text) { Triple = std::move(Text); }
  /// Keeps the program's initial data from being shown as if it were known.
  void setHidden(std::unique_ptr<HiddenData> H) { Hidden = std::move(H); }
  /// A run, if there is one, is to end where it is.
  void wantStop(bool On) { StopWanted = On; }
  bool stopWanted() const { return StopWanted; }
  /// Whether that was so; it is not any more.
  bool takeStopWanted() { return StopWanted.exchange(false); }
  /// Null until it is set.
  std::shared_ptr<const DebuggerState> debuggerState() const {
    std::lock_guard<std::mutex> Lock(LLDBMutex);
    return LLDB;
  }
  void setDebuggerState(std::shared_ptr<const DebuggerState> S) {
    std::lock_guard<std::mutex> Lock(LLDBMutex);
    LLDB = std::move(S);
  }
  /// While quiet, stops are not announced to the user.
  bool quiet() const { return Quiet; }
  void setQuiet(bool On) { Quiet = On; }
  /// Makes LLDB read the registers of all threads anew, by what is set here.
  void forgetRegisters() const {
    std::lock_guard<std::mutex> Lock(ForgetMutex);
    if (Forget)
      Forget();
  }
  void setForgetRegisters(std::function<void()> F) {
    std::lock_guard<std::mutex> Lock(ForgetMutex);
    Forget = std::move(F);
  }
  /// A command prints the place that it is about to move to: the stop there
  /// need not. Or, \p On being false, it has not moved.
  void tellPlace(bool On) { PlaceTold = On; }
  /// Whether that was so; it is not any more.
  bool takePlaceTold() { return PlaceTold.exchange(false); }
  /// LLDB has a process, which waits for its first stop.
  void connected() {
    if (OnConnected)
      std::exchange(OnConnected, nullptr)();
  }
  /// Before the replay server starts.
  void setOnConnected(std::function<void()> F) { OnConnected = std::move(F); }
  /// LLDB makes the last stop public: it is about to find out whether that is
  /// one to tell of, or to go on from.
  void stopGoesPublic() { Public = Engine.moves(); }
  bool lastStopIsPublic() const { return Public == Engine.moves(); }
  /// The user is told of the last stop, by this thread.
  void stopIsTold() {
    Teller = std::this_thread::get_id();
    Told = Engine.moves();
    rests();
    tellWatcher(/*Gone=*/false);
  }
  /// \p W is called at every stop that the user is told of, before he is, on
  /// LLDB's threads and with its locks held: it must wait for none of those.
  /// And, with true, when the process is gone.
  void watch(std::function<void(bool Gone)> W) {
    std::lock_guard<std::mutex> Lock(WatcherMutex);
    Watcher = std::move(W);
  }
  void tellWatcher(bool Gone) const {
    std::lock_guard<std::mutex> Lock(WatcherMutex);
    if (Watcher)
      Watcher(Gone);
  }
  /// A stop that LLDB was asked for is not told in this way.
  bool lastStopIsTold() const { return Told == Engine.moves(); }
  /// A command begins at that stop. False if one has before.
  bool firstAtStop(uint32_t StopId) { return Seen.exchange(StopId) != StopId; }
  /// Nothing runs, and the user knows: what he interrupted before is over.
  void rests() {
    StopWanted = false;
    Rested = std::chrono::steady_clock::now();
    recordingRests();
  }
  /// When that was so last.
  std::chrono::steady_clock::time_point rested() const { return Rested; }
  /// If it was this thread that told of the last stop, it has.
  void endTelling() {
    std::thread::id Me = std::this_thread::get_id();
    Teller.compare_exchange_strong(Me, std::thread::id());
  }
  /// True if another thread may still be telling the user of the last stop.
  /// Once asked, no more.
  bool takeBeingTold() {
    std::thread::id Who = Teller;
    return Who != std::thread::id() && Who != std::this_thread::get_id() &&
           Teller.compare_exchange_strong(Who, std::thread::id());
  }

private:
  const std::shared_ptr<const TraceStore> Store;
  const std::string TracePath, StorePath;
  std::string LoadCommand, Triple;
  const uint64_t Pid;
  lldb::user_id_t Debugger = LLDB_INVALID_UID;
  ReplayEngine Engine;
  MemoryView Memory;
  SessionMemory Session;
  ModuleSymbols Symbols;
  const std::unique_ptr<ScopedNames> Names;
  std::mutex CallsMutex;
  std::unique_ptr<CallIndex> Calls;
  std::unique_ptr<HiddenData> Hidden;
  std::atomic<bool> StopWanted = false;
  mutable std::mutex LLDBMutex;
  std::shared_ptr<const DebuggerState> LLDB;
  std::atomic<bool> Quiet = false;
  std::atomic<bool> PlaceTold = false;
  std::atomic<std::thread::id> Teller;
  std::atomic<uint64_t> Public = 0, Told = 0;
  std::atomic<uint32_t> Seen = 0;
  std::atomic<std::chrono::steady_clock::time_point> Rested =
      std::chrono::steady_clock::now();
  mutable std::mutex ForgetMutex;
  std::function<void()> Forget;
  std::function<void()> OnConnected;
  mutable std::mutex WatcherMutex;
  std::function<void(bool)> Watcher;
  std::mutex JumpsMutex;
  std::vector<Place> Jumps; ///< that Session does not know of yet
  Movements Moved;
};

/// Ties a trace to the target's current process.
void rememberTrace(lldb::SBTarget Target, std::shared_ptr<LoadedTrace> Trace);
/// The trace that the target's process replays; null if it is none of ours.
std::shared_ptr<LoadedTrace> traceOf(lldb::SBTarget Target);
/// Called when the process is gone.
void forgetTrace(const LoadedTrace &Trace);

} // namespace rw

#endif // REWIND_PLUGIN_LOADEDTRACE_H
