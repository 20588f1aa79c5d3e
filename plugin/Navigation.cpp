//===- Navigation.cpp - Moving in time ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/Navigation.h"
#include "commands/support/Format.h"
#include "core/store/TraceStore.h"
#include "core/support/Backoff.h"
#include "lldb/API/LLDB.h"
#include "plugin/EventMarker.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/CommandContext.h"
#include "plugin/private/RunState.h"
#include <chrono>
#include <thread>

using namespace rw;
using namespace lldb;

thread_local unsigned OwnCommand::Depth = 0;

/// For LLDB's own thread, which may run somebody's callback.
static constexpr auto LongPatience = std::chrono::seconds(20);

/// Until the events that were sent to the debugger have been dealt with, and no
/// longer than \p Patience, or LongPatience if LLDB's own thread is to deal
/// with them. False if that was not enough.
static bool awaitEvents(SBDebugger Debugger, EventTaker Taker,
                        std::chrono::milliseconds Patience,
                        llvm::function_ref<bool()> GiveUp = nullptr) {
  if (Taker == EventTaker::ThisThread)
    return true;
  return EventMarker(Debugger).await(
      Taker, Taker == EventTaker::LLDB ? LongPatience : Patience,
      [&] { return Debugger.InterruptRequested() || (GiveUp && GiveUp()); });
}

bool rw::stands(SBProcess Process, const LoadedTrace &Trace) {
  return Process.GetState() == eStateStopped &&
         lastStopIsKnown(Process, Trace) &&
         Process.GetSelectedThread().GetFrameAtIndex(0).IsValid();
}

llvm::Error rw::awaitStop(SBDebugger Debugger, SBTarget Target,
                          LoadedTrace &Trace,
                          llvm::function_ref<bool()> GiveUp) {
  // For a front end or a script that may take no events, ever.
  constexpr auto Patience = std::chrono::seconds(3);
  SBProcess Process = Target.GetProcess();
  const EventTaker Taker = eventTaker(Debugger);
  const UnlockedTargets Unlocked(Debugger);
  const auto Begun = std::chrono::steady_clock::now();
  // A run that was asked for just now may not have begun.
  auto idle = [&] {
    return std::min(Trace.engine().idle(),
                    std::chrono::steady_clock::now() - Begun);
  };
  // LLDB takes this lock when it is asked: whoever tests a condition hardly
  // lets go of it, and makes stops all the time.
  SBMutex API = Target.GetAPIMutex();
  auto lockUnlessGivenUp = [&] {
    std::unique_lock<SBMutex> Locked(API, std::defer_lock);
    for (Backoff Look; GiveUp && !GiveUp() && !Locked.try_lock();)
      Look.pause();
    return Locked;
  };
  Backoff Look;
  bool Waited = false;
  while (Process.IsValid()) {
    auto Locked = lockUnlessGivenUp();
    if (GiveUp && !Locked)
      return llvm::createStringError("interrupted");
    const bool Stands = stands(Process, Trace);
    // A stop that is public may be one that LLDB goes on from, to the next:
    // while it tests a condition, say.
    const uint32_t Stop = Process.GetStopID();
    if (Locked)
      Locked.unlock();
    if (!Stands) {
      Waited = true;
      if (Debugger.InterruptRequested())
        return llvm::createStringError("interrupted");
      if (Taker != EventTaker::LLDB && idle() > Patience)
        return llvm::createStringError("the process is not stopped");
      if (idle() > LongPatience)
        return llvm::createStringError(
            "the recording stands, but LLDB has not taken notice for 20 s: a "
            "callback or a script of it may be running; try again");
      Look.pause();
      continue;
    }
    const bool Told = Taker != EventTaker::LLDB && Trace.lastStopIsTold();
    if (!Trace.takeBeingTold() && (Told || !Debugger.GetAsync()))
      break;
    Waited = true;
    if (!awaitEvents(Debugger, Taker, Patience, GiveUp) &&
        Taker == EventTaker::LLDB)
      return llvm::createStringError(
          "LLDB has not told of the last stop for 20 s: a callback or a script "
          "of it may be running; try again");
    Locked = lockUnlessGivenUp();
    if (GiveUp && !Locked)
      return llvm::createStringError("interrupted");
    if (Process.GetStopID() == Stop && stands(Process, Trace))
      break;
  }
  Trace.rests();
  if (Waited && Taker != EventTaker::ThisThread)
    renewContext(Target);
  return llvm::Error::success();
}

llvm::Expected<std::shared_ptr<LoadedTrace>>
rw::standingTrace(SBDebugger Debugger, SBTarget Target) {
  if (auto Trace = traceOf(Target)) {
    if (llvm::Error E = awaitStop(Debugger, Target, *Trace))
      return E;
    return Trace;
  }
  return llvm::createStringError(
      "the selected target is not a recording: load one with "
      "'rewind load <trace>'");
}

void rw::awaitAllStops(SBDebugger Debugger) {
  // Once there was one: its end is told of, too.
  static std::atomic<bool> Any = false;
  for (uint32_t I = 0; I < Debugger.GetNumTargets(); ++I) {
    SBTarget Target = Debugger.GetTargetAtIndex(I);
    if (auto Trace = traceOf(Target)) {
      llvm::consumeError(awaitStop(Debugger, Target, *Trace));
      Any = true;
    }
  }
  // In synchronous mode no other thread tells of anything.
  if (!Any || !Debugger.GetAsync())
    return;
  const UnlockedTargets Unlocked(Debugger);
  awaitEvents(Debugger, eventTaker(Debugger), std::chrono::milliseconds(500));
}

/// What LLDB was doing when a thread stopped: half a `next`, say.
static void discardSteps(SBDebugger Debugger, SBProcess Process) {
  for (uint32_t I = 0; I < Process.GetNumThreads(); ++I) {
    SBExecutionContext Context(Process.GetThreadAtIndex(I));
    SBCommandReturnObject Ignored; // fails where there is none
    Debugger.GetCommandInterpreter().HandleCommand("thread plan discard 1",
                                                   Context, Ignored);
  }
}

llvm::Error rw::resume(SBDebugger Debugger, SBTarget Target,
                       llvm::raw_ostream &Out) {
  SBProcess Process = Target.GetProcess();
  if (Process.GetState() != eStateStopped)
    return llvm::createStringError("the process is not stopped");
  OwnCommand Own;
  discardSteps(Debugger, Process);
  SBCommandReturnObject Run;
  SBExecutionContext Context(Process.GetSelectedThread());
  Debugger.GetCommandInterpreter().HandleCommand("process continue -F", Context,
                                                 Run);
  if (!Run.Succeeded()) {
    llvm::StringRef Text = Run.GetError() ? Run.GetError() : "";
    return llvm::createStringError(Text.trim().str());
  }
  llvm::StringRef Text = Run.GetOutput() ? Run.GetOutput() : "";
  // "Process 1 resuming" says nothing: no one was kept waiting.
  while (!Text.empty()) {
    auto [Line, Rest] = Text.split('\n');
    if (!Line.ends_with(" resuming"))
      Out << Line << '\n';
    Text = Rest;
  }
  return llvm::Error::success();
}

llvm::Error rw::travel(SBDebugger Debugger, SBTarget Target, LoadedTrace &Trace,
                       Instant To, ReplayStop Why, llvm::raw_ostream &Out) {
  Trace.engine().land(To, std::move(Why));
  Trace.expectOwnMove(true);
  llvm::Error E = resume(Debugger, Target, Out);
  if (E) {
    Trace.engine().cancelLanding();
    Trace.expectOwnMove(false);
  }
  return E;
}

uint32_t rw::shownInlined(SBThread Thread) {
  uint32_t N = 0;
  while (Thread.GetFrameAtIndex(N).IsInlined())
    ++N;
  return N;
}

Place rw::placeOfThread(SBThread Thread, LoadedTrace &Trace) {
  Instant Here = Trace.engine().here();
  const uint64_t Id = Thread.GetThreadID();
  const auto &Threads = Trace.store().header().Threads;
  for (ThreadIndex T = 0; T < Threads.size(); ++T)
    if (Threads[T].Id == Id)
      Here.Thread = T;
  return {Here.Thread, Here.When};
}

Place rw::commandPlace(SBTarget Target, LoadedTrace &Trace) {
  return placeOfThread(commandThread(Target), Trace);
}

llvm::Error rw::printPosition(const TraceStore &Store, Place Where,
                              llvm::raw_ostream &Out) {
  auto P = Store.positionOf(Where.Thread, Where.When);
  if (!P)
    return P.takeError();
  uint64_t Count = Store.numInstructions(Where.Thread);
  Out << formatPlace(Store, Where.Thread, *P) << " of " << Count;
  if (*P >= Count) {
    Out << ", the end\n";
    return llvm::Error::success();
  }
  auto M = Store.momentOf(Where.Thread, *P);
  if (!M)
    return M.takeError();
  auto Time = Store.timeAt(*M);
  if (!Time)
    return Time.takeError();
  if (*Time)
    Out << ", " << formatTime(Store, **Time);
  auto Line = Store.lineAt(*M);
  if (!Line)
    return Line.takeError();
  if (*Line)
    Out << ", line " << *Line << " of the trace";
  Out << '\n';
  return llvm::Error::success();
}
