//===- RecorderThreads.cpp - Turns of threads, and their signals ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Recorder.h"
#include <cstring>

using namespace llvm;
using namespace rw::record;

/// "SIGSEGV", "SIGRT34".
static std::string signalName(int Signal) {
  const char *Name = sigabbrev_np(Signal);
  return Name ? std::string("SIG") + Name : "SIGRT" + std::to_string(Signal);
}

/// The trace begins: it says what is in all registers.
void Recorder::startWriting() {
  Writing = true;
  Begun = W.Instructions;
  useThread();
}

/// Lines are of the current thread. What is in its registers is said first if
/// the trace has not had it.
void Recorder::useThread() {
  const Thread &T = Linux.current();
  if (T.Cpu >= Cpus.size())
    Cpus.resize(T.Cpu + 1);
  std::unique_ptr<Cpu> &C = Cpus[T.Cpu];
  if (!C)
    C = std::make_unique<Cpu>();
  Now = C.get();
  if (!Writing || C->ThreadId == T.Id) {
    if (Writing)
      setCpu();
    return;
  }
  const bool IsFirst = C->ThreadId == 0;
  C->ThreadId = T.Id;
  if (IsFirst && T.Cpu)
    C->Name = "tid-" + std::to_string(T.Id);
  setCpu();
  for (unsigned R = 0; R < NumRegs; ++R) {
    if (!hasRegister(R))
      continue;
    C->Values[R] = G.read(R);
    Writer.registerWrite(R, C->Values[R]);
  }
}

void Recorder::setCpu() {
  Writer.setCpu(Now->Name);
  if (Calls)
    Calls->setThread(Linux.current().Cpu);
}

void Recorder::setTurn() {
  CheckAt = G.isBare() ? ~0ull : Linux.turnEnd();
  if (!G.isBare() && Linux.hasSignal())
    CheckAt = 0;
  // Without a limit the sum would overflow.
  if (Writing && Wanted.Limit < ~0ull - Begun)
    CheckAt = std::min(CheckAt, Begun + Wanted.Limit);
}

/// Delivers what signals there are to the current thread, if the trace can have
/// it here. False: the program is over.
bool Recorder::deliverSignals(Outcome &O, bool AtFault) {
  while (Linux.hasSignal() && (AtFault || (CanInterrupt && !Now->IfThen &&
                                           (!Writing || LastShown == Now)))) {
    LinuxCalls::Delivery D = Linux.deliver(Now->IfThen);
    if (!D.Signal)
      continue;
    if (Writing)
      Writer.signal(D.Signal, signalName(D.Signal), D.ReturnTo);
    writeMemory(nullptr);
    if (D.Fatal) {
      O.Kind = Outcome::Exited;
      O.End = Linux.ending();
      O.Failure.clear();
      return false;
    }
    Now->IfThen = 0;
    O.Failure.clear();
    if (Writing)
      writeChanged();
    // Others come when the handler has begun.
    break;
  }
  return true;
}

/// Completes a call in which the current thread has waited.
void Recorder::resumeCall() {
  Now->InCall = false;
  Now->HasResult = true;
  Linux.endWait();
  finishCall();
}

/// The current thread goes on behind its call.
void Recorder::finishCall() {
  restoreIfThen(advanceIfThen(Now->IfThen));
  // What of an If-Then block follows is seen when the next instruction starts.
  if (!Now->IfThen)
    finish(Now->PendingPC + Now->Pending->Size);
}

/// Between two instructions of the current thread: its signals, and whose turn
/// it is next. False: the recording is over.
bool Recorder::goOn(Outcome &O) {
  if (Writing && W.Instructions - Begun >= Wanted.Limit) {
    O.Kind = Outcome::Limit;
    return false;
  }
  while (true) {
    Thread *T = &Linux.current();
    if (T->State == Thread::Ready && Now->InCall && !Linux.waitsOn())
      resumeCall();
    if (T->State == Thread::Ready && !deliverSignals(O, /*AtFault=*/false))
      return false;
    if (T->State == Thread::Ready && W.Instructions < Linux.turnEnd())
      return true;
    if (T->State == Thread::Ready && Now->IfThen)
      return true; // the turn ends a little later
    if (T->State != Thread::Ended && !G.save(T->Context)) {
      O.Failure = "there is no memory for the registers of a thread";
      return false;
    }
    Thread *Next = Linux.next();
    if (!Next) {
      O.Failure =
          "all threads wait for each other: " + Linux.describeDeadlock();
      return false;
    }
    if (Next != T) {
      G.restore(Next->Context);
      ExclusiveFor = 0;
      CanInterrupt = true;
      useThread();
    }
    if (!Now->InCall)
      return true;
  }
}

/// A system call. False: the program is over.
bool Recorder::serveLinux(Outcome &O, uint64_t Next) {
  uint64_t Behind = Now->PendingPC + Now->Pending->Size;
  LinuxCalls::Served How = Linux.call(Next);
  Now->HasResult = true;
  switch (How) {
  case LinuxCalls::Served::Done:
    break;
  case LinuxCalls::Served::Jumps: {
    Now->IfThen = 0;
    uint64_t To = Linux.current().PC & ~uint64_t(!G.is64());
    Now->Restored = true;
    finish(To);
    Now->IfThen = Linux.ifThen();
    restoreIfThen(Now->IfThen);
    // What came while the handler ran comes before anything else runs.
    CanInterrupt = true;
    return true;
  }
  case LinuxCalls::Served::Waits:
    Now->Held = *Now->Pending;
    Now->Pending = &Now->Held;
    Now->InCall = true;
    return true;
  case LinuxCalls::Served::Ends:
    finish(Behind);
    return true;
  case LinuxCalls::Served::Finished:
    O.Kind = Outcome::Exited;
    O.End = Linux.ending();
    finish(Behind);
    return false;
  }
  finishCall();
  return true;
}
