//===- ReplayServer.cpp - The thread behind a replay process --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ReplayServer.h"
#include "commands/lvalues/ImageConditions.h"
#include "core/replay/LLDBServer.h"
#include "core/replay/PacketChannel.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "plugin/EventMarker.h"
#include "plugin/InterruptSignal.h"
#include "plugin/LoadedTrace.h"
#include "plugin/ToldRefusals.h"
#include "plugin/private/DebuggerState.h"
#include "llvm/ADT/ScopeExit.h"
#include <cerrno>
#include <fcntl.h>
#include <list>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace rw;

namespace {
/// A connection and its thread.
struct Connection {
  Connection(int Ours, int Theirs) : Channel(Ours), Theirs(Theirs) {}
  ~Connection() { ::close(Theirs); }
  PacketChannel Channel;
  /// The debugger's end: LLDB never closes what it is given by number. Closed
  /// when LLDB has let go of it, which it has by the time of another load.
  const int Theirs;
  std::thread Thread;
  std::atomic<bool> Finished = false;
};

/// All connections of the process. Its destructor runs at exit, when LLDB may
/// have gone without saying goodbye.
class Connections {
public:
  ~Connections() {
    for (Connection &C : List)
      C.Channel.shutdown();
    for (Connection &C : List)
      C.Thread.join();
  }

  void add(int Ours, int Theirs, std::shared_ptr<LoadedTrace> Trace);

private:
  std::mutex Mutex;
  std::list<Connection> List;
};
} // namespace

static Connections &connections() {
  static Connections All;
  return All;
}

static void serve(PacketChannel &Channel, LoadedTrace &Trace) {
  LLDBServer Server(
      Trace.engine(), Trace.memory(), Trace.pid(), Trace.triple(),
      [&, Last = std::chrono::steady_clock::time_point()](
          llvm::StringRef Line) mutable {
        if (ToldRefusals::any())
          return;
        // What writes one register often writes a hundred.
        auto Now = std::chrono::steady_clock::now();
        if (Now - std::exchange(Last, Now) > std::chrono::seconds(1))
          Trace.notice(Line);
      },
      [&] {
        Trace.stopGoesPublic();
        Trace.forgetRegisters();
      },
      [&] { Trace.connected(); });
  ProgramVariables Variables(&Trace.store().registerFile());
  ImageConditions Others(Trace.store());
  StopConditions Conditions(Trace.store(), Trace.memory(), &Variables, &Others);
  bool Ran = false;
  std::vector<IgnoredHits> Uncounted;
  auto Count = [&](const DebuggerState &LLDB) {
    for (IgnoredHits &Passed : Trace.engine().takeIgnored())
      Uncounted.push_back(std::move(Passed));
    while (!Uncounted.empty() && LLDB.count(Uncounted.front()))
      Uncounted.erase(Uncounted.begin());
  };
  auto Look = [&]() -> const StopConditions * {
    auto LLDB = Trace.debuggerState();
    if (LLDB) {
      LLDB->putBack(); // after a stop that LLDB went on from
      LLDB->forgetUnknown(/*Ended=*/false);
      Count(*LLDB);
    }
    // What is not counted yet would be ignored twice.
    auto Texts = LLDB && Uncounted.empty() ? LLDB->conditions() : std::nullopt;
    Ran = true;
    if (!Texts)
      return nullptr;
    bool NamesChanged = false;
    if (Texts->any()) {
      auto Images = LLDB->images();
      NamesChanged = Variables.setImages(Images);
      if (NamesChanged)
        Others.setImages(std::move(Images));
    }
    Conditions.set(std::move(*Texts), NamesChanged);
    return &Conditions;
  };
  std::chrono::steady_clock::time_point Heard;
  auto Interrupted = [&] {
    if (Channel.interrupted() || Trace.takeStopWanted())
      return true;
    auto LLDB = Trace.debuggerState();
    // The trace rests only when the user is told of the stop: until then
    // another Ctrl-C is for this run, too.
    if (auto Came = takeInterruptSince(std::max(Trace.rested(), Heard)))
      Heard = *Came;
    else if (!(LLDB && LLDB->stopWanted()))
      return false;
    // LLDB may ask in its own way, too, and some of its threads may not have
    // seen yet that the process runs: they would take its stop for an old one.
    for (unsigned I = 0; I < 50 && !Channel.interrupted(); ++I)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  };
  StatusLineDrawn Drawn;
  uint64_t Moves = Trace.engine().moves();
  Trace.engine().setHooks(Look, Interrupted, [&] {
    auto LLDB = Trace.debuggerState();
    return Trace.stopWanted() || (LLDB && LLDB->stopWanted());
  });
  Trace.engine().setStepHooks(
      [&](ThreadIndex T) {
        auto LLDB = Trace.debuggerState();
        const auto &Threads = Trace.store().header().Threads;
        return LLDB && T < Threads.size() && LLDB->runsOn(Threads[T].Id);
      },
      [&](uint64_t PC) {
        auto LLDB = Trace.debuggerState();
        return LLDB ? LLDB->hitsAt(PC) : std::nullopt;
      });
  llvm::scope_exit Unset([&] {
    Trace.engine().setHooks(nullptr, nullptr);
    Trace.engine().setStepHooks(nullptr, nullptr);
  });
  servePackets(
      Channel, Server,
      [&](llvm::Error E) { Trace.notice(llvm::toString(std::move(E))); },
      [&] {
        if (std::exchange(Moves, Trace.engine().moves()) != Moves)
          Drawn.await(
              lldb::SBDebugger::FindDebuggerWithID(int(Trace.debugger())));
        // Backward, what was known when the run began may not be where it ends.
        auto LLDB = std::exchange(Ran, false) ? Trace.debuggerState() : nullptr;
        if (!LLDB)
          return;
        LLDB->forgetUnknown(/*Ended=*/true);
        Count(*LLDB);
        const ReplayStop Stop = Trace.engine().lastStop();
        if (Stop.What == ReplayStop::Watchpoint)
          LLDB->setAside(Stop.Addr, Stop.Reason);
      });
}

void Connections::add(int Ours, int Theirs,
                      std::shared_ptr<LoadedTrace> Trace) {
  std::lock_guard<std::mutex> Lock(Mutex);
  for (auto It = List.begin(); It != List.end();) {
    if (!It->Finished) {
      ++It;
      continue;
    }
    It->Thread.join();
    It = List.erase(It);
  }
  Connection &C = List.emplace_back(Ours, Theirs);
  C.Thread = std::thread([&C, Trace = std::move(Trace)]() mutable {
    blockInterruptSignal();
    if (llvm::Error E = guarded([&] {
          serve(C.Channel, *Trace);
          return llvm::Error::success();
        }))
      Trace->notice(llvm::toString(std::move(E)));
    C.Channel.shutdown();
    forgetTrace(*Trace);
    Trace.reset();
    C.Finished = true;
  });
}

llvm::Expected<int> rw::startReplayServer(std::shared_ptr<LoadedTrace> Trace) {
  int FDs[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, FDs) != 0)
    return llvm::createStringError(
        llvm::errnoAsErrorCode(),
        "cannot make a socket for the replay process");
  connections().add(FDs[0], FDs[1], std::move(Trace));
  return FDs[1];
}
