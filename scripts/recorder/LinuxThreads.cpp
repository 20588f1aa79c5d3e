//===- LinuxThreads.cpp - Linux system calls about threads ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::performThread(Call What) {
  switch (What) {
  case Call::Clone:
    return clone();
  case Call::Fork:
    return refuse("fork of another process", ENOSYS);
  case Call::Execute: {
    std::string Path;
    int64_t Error = 0;
    return text(arg(0), Path, Error)
               ? refuse("execve of '" + Path + "'", EACCES)
               : Error;
  }
  case Call::Futex:
    return futex(G.is64());
  case Call::FutexWide:
    return futex(true);
  case Call::Yield:
    TurnEnd = 0;
    return 0;
  case Call::NanoSleep: {
    int64_t Time = duration(arg(0), G.is64());
    return Time < 0 ? Time : sleep(W.after(Time), arg(1), G.is64());
  }
  case Call::ClockSleep:
    return clockSleep(G.is64());
  case Call::ClockSleepWide:
    return clockSleep(true);
  case Call::SetTidAddress:
    Current->ClearTid = arg(0);
    return Current->Id;
  case Call::ExitThread: {
    bool Last = llvm::none_of(Threads, [&](const auto &T) {
      return T.get() != Current && T->State != Thread::Ended;
    });
    if (Last)
      return end(arg(0) & 0xff, 0);
    endThread();
    return 0;
  }
  case Call::ThreadId:
    return Current->Id;
  case Call::WaitChild:
    return -ECHILD;
  case Call::SetTls:
    G.write(TPIDR, arg(0));
    return 0;
  case Call::Affinity: {
    // There is one CPU.
    std::string Bytes(8, '\0');
    Bytes[0] = 1;
    if (arg(1) < Bytes.size())
      return -EINVAL;
    int64_t E = store(arg(2), Bytes);
    return E ? E : int64_t(Bytes.size());
  }
  case Call::SetRobustList:
    if (arg(1) != (G.is64() ? 24 : 12))
      return -EINVAL;
    Current->RobustList = arg(0);
    return 0;
  case Call::GetRobustList: {
    const Thread *T = arg(0) ? find(arg(0)) : Current;
    if (!T)
      return -ESRCH;
    uint64_t Size = G.is64() ? 24 : 12;
    unsigned Word = G.is64() ? 8 : 4;
    auto Bytes = [&](const uint64_t &V) {
      return StringRef(reinterpret_cast<const char *>(&V), Word);
    };
    int64_t E = store(arg(1), Bytes(T->RobustList));
    return E ? E : store(arg(2), Bytes(Size));
  }
  default:
    return scheduling(What);
  }
}

Thread *LinuxCalls::find(uint64_t Id) {
  auto It = llvm::find_if(Threads, [&](const auto &T) {
    return T->Id == Id && T->State != Thread::Ended;
  });
  return It == Threads.end() ? nullptr : It->get();
}

/// All threads take turns, whatever they ask for.
int64_t LinuxCalls::scheduling(Call What) {
  enum { Other, Fifo, RoundRobin, Batch, Idle = 5 };
  switch (What) {
  case Call::Scheduler:
    return arg(0) && !find(arg(0)) ? -ESRCH : Other;
  case Call::SchedulerParameters:
    return arg(0) && !find(arg(0)) ? -ESRCH
                                   : store(arg(1), StringRef("\0\0\0\0", 4));
  case Call::SetScheduler:
    return refuse("another scheduling policy", EPERM);
  case Call::ProcessControl:
    return processControl();
  case Call::PriorityMost:
  case Call::PriorityLeast:
    if (arg(0) == Fifo || arg(0) == RoundRobin)
      return What == Call::PriorityMost ? 99 : 1;
    return arg(0) == Other || arg(0) == Batch || arg(0) == Idle ? 0 : -EINVAL;
  default:
    return -ENOSYS;
  }
}

/// prctl: a thread has a name; the rest changes nothing that it could see.
int64_t LinuxCalls::processControl() {
  enum { SetName = 15, GetName };
  constexpr size_t Longest = 15;
  if (arg(0) == SetName) {
    std::string Name;
    int64_t Error = 0;
    if (!text(arg(1), Name, Error))
      return Error;
    Current->Name = Name.substr(0, Longest);
    return 0;
  }
  if (arg(0) != GetName)
    return 0;
  std::string Bytes = Current->Name;
  Bytes.resize(Longest + 1);
  return store(arg(1), Bytes);
}

int64_t LinuxCalls::clone() {
  enum : uint64_t {
    SharesMemory = 0x100,
    IsVfork = 0x4000,
    IsThread = 0x10000,
    SetsTls = 0x80000,
    TellsParent = 0x100000,
    ClearsChild = 0x200000,
    TellsChild = 0x1000000
  };
  uint64_t Flags = arg(0), Stack = arg(1), ParentTid = arg(2), Tls = arg(3),
           ChildTid = arg(4);
  if ((Flags & (SharesMemory | IsThread)) != (SharesMemory | IsThread))
    return refuse(Flags & IsVfork ? "vfork of another process (as posix_spawn, "
                                    "system and popen do)"
                                  : "fork of another process",
                  ENOSYS);
  size_t Slot = Threads.size();
  if (Slot == MaxThreads) {
    // A trace has no more CPUs.
    auto It = llvm::find_if(
        Threads, [](const auto &T) { return T->State == Thread::Ended; });
    if (It == Threads.end())
      return refuse("more than 250 threads at a time", EAGAIN);
    Slot = It - Threads.begin();
    note(Refused["after 250 threads, new ones take the CPUs of those that have "
                 "ended"]);
  }
  auto T = std::make_unique<Thread>(NextId, Slot);
  // The child begins as a copy of its parent.
  uint64_t OldSP = G.sp(), OldTls = G.read(TPIDR).Lo, OldX0 = arg(0);
  uint8_t StackReg = G.is64() ? SP : R13;
  if (!G.is64())
    G.write(CPSR, G.read(CPSR).Lo);
  G.write(X0, 0);
  if (Stack)
    G.write(StackReg, Stack);
  if (Flags & SetsTls)
    G.write(TPIDR, Tls);
  bool Saved = G.save(T->Context);
  G.write(X0, OldX0);
  G.write(StackReg, OldSP);
  G.write(TPIDR, OldTls);
  if (!Saved)
    return -ENOMEM;
  std::string Id(4, '\0');
  memcpy(Id.data(), &T->Id, 4);
  if ((Flags & TellsParent) && store(ParentTid, Id))
    return -EFAULT;
  if ((Flags & TellsChild) && store(ChildTid, Id))
    return -EFAULT;
  if (Flags & ClearsChild)
    T->ClearTid = ChildTid;
  T->PC = ResumePC;
  T->Mask = Current->Mask;
  T->Name = Current->Name;
  ++NextId;
  // The program's first thread has had no turn: it was alone.
  if (TurnEnd == Thread::Never)
    beginTurn();
  if (Slot == Threads.size())
    Threads.push_back(std::move(T));
  else
    Threads[Slot] = std::move(T);
  return NextId - 1;
}

void LinuxCalls::endThread() {
  releaseOwned();
  if (Current->ClearTid) {
    store(Current->ClearTid, StringRef("\0\0\0\0", 4));
    futexWake(Current->ClearTid, 1, ~0u);
  }
  Current->State = Thread::Ended;
  How = Served::Ends;
}

//===----------------------------------------------------------------------===//
// Sleeping and turns
//===----------------------------------------------------------------------===//

int64_t LinuxCalls::sleep(uint64_t Until, uint64_t Remainder, bool Wide) {
  if (Until <= W.now())
    return 0;
  Current->WaitsFor = Thread::Sleep;
  Current->RemainderAddr = Remainder;
  Current->WideRemainder = Wide;
  Current->RemainderUnit = 1;
  wait(Until, 0);
  return 0;
}

int64_t LinuxCalls::clockSleep(bool Wide) {
  constexpr uint64_t Absolute = 1;
  int64_t Time = duration(arg(2), Wide);
  if (Time < 0)
    return Time;
  uint64_t Until = Time;
  if (!(arg(1) & Absolute))
    return sleep(W.after(Until), arg(3), Wide);
  if (arg(0) == 0) // CLOCK_REALTIME
    Until -= std::min(Until, World::Epoch * 1000000000);
  return sleep(Until, 0, Wide);
}

void LinuxCalls::wait(uint64_t Until, int64_t TimeoutResult) {
  Current->State = Thread::Waiting;
  Current->Until = Until;
  Current->TimeoutResult = TimeoutResult;
  Current->Interrupted = false;
  Current->WaitOrder = ++WaitCount;
  Current->CallArg = arg(0);
  How = Served::Waits;
  // A signal that came before does not let it wait.
  dropIgnored();
  if (hasSignal()) {
    Current->Interrupted = true;
    wake(*Current, -EINTR);
  }
}

void LinuxCalls::wake(Thread &T, int64_t Result) {
  T.State = Thread::Ready;
  T.Result = Result;
}

bool LinuxCalls::waitsOn() {
  Thread &T = *Current;
  if (T.Interrupted && hasSignal())
    return false;
  if (T.WaitsFor == Thread::Files ||
      (T.Interrupted && T.WaitsFor == Thread::OwnedFutex)) {
    T.Interrupted = false;
    return tryAgain();
  }
  if (!T.Interrupted)
    return false;
  T.Interrupted = false;
  // Somebody may have meant to wake it meanwhile: the program looks again.
  if (T.WaitsFor == Thread::Futex) {
    T.Result = -EAGAIN;
    return false;
  }
  if (T.WaitsFor == Thread::Signals)
    if (std::optional<SignalInfo> I = take(T.AwaitedSignals)) {
      T.Result = I->Signal;
      T.Info = signalInfo(*I);
      return false;
    }
  T.State = Thread::Waiting;
  return true;
}

void LinuxCalls::tellRemainder(uint64_t Until) {
  const Thread &T = *Current;
  if (!T.RemainderAddr)
    return;
  uint64_t Left = Until > W.now() ? Until - W.now() : 0;
  std::string Bytes;
  for (uint64_t V : {Left / 1000000000, Left % 1000000000 / T.RemainderUnit})
    Bytes.append(reinterpret_cast<const char *>(&V), T.WideRemainder ? 8 : 4);
  store(T.RemainderAddr, Bytes);
}

void LinuxCalls::endWait() {
  Thread &T = *Current;
  if (!T.Interrupted)
    restoreMask();
  int64_t Result = T.Result;
  if (T.Interrupted &&
      (T.WaitsFor == Thread::Sleep || T.WaitsFor == Thread::Files)) {
    tellRemainder(T.Until);
    if (T.Done)
      Result = T.Done;
  }
  T.Awaited.clear();
  if (!T.Info.empty() && T.RemainderAddr)
    store(T.RemainderAddr, T.Info);
  T.Info.clear();
  G.write(X0, G.is64() ? Result : uint32_t(Result));
}

Thread *LinuxCalls::next() {
  // A timer whose signal nobody wants can go off for ever.
  constexpr unsigned MostTimers = 10000;
  for (unsigned Round = 0; Round < MostTimers; ++Round) {
    checkTimer();
    for (auto &T : Threads)
      if (T->State == Thread::Waiting && T->Until <= W.now())
        wake(*T, T->TimeoutResult);
    wakeFileWaiters();
    size_t N = Threads.size();
    for (size_t K = 1; K <= N; ++K) {
      Thread &T = *Threads[(Current->Cpu + K) % N];
      if (T.State == Thread::Ready) {
        Current = &T;
        beginTurn();
        return Current;
      }
    }
    uint64_t Earliest = nextTime();
    if (Earliest == Thread::Never)
      return nullptr;
    W.Idle += Earliest - W.now();
  }
  return nullptr;
}

void LinuxCalls::beginTurn() { TurnEnd = W.Instructions + W.Turn; }

uint64_t LinuxCalls::turnEnd() const {
  uint64_t Time = nextTime();
  bool Others = llvm::any_of(Threads, [&](const auto &T) {
    return T.get() != Current && T->State == Thread::Ready;
  });
  uint64_t End = Time == Thread::Never ? Time : Time - std::min(Time, W.Idle);
  return Others ? std::min(End, TurnEnd) : End;
}

std::string LinuxCalls::describeDeadlock() const {
  std::string Text;
  for (const auto &T : Threads) {
    if (T->State != Thread::Waiting)
      continue;
    char Line[120];
    if (T->WaitsFor == Thread::Files && !T->Awaited.empty())
      snprintf(Line, sizeof Line, "%s%u for a descriptor, at pc 0x%llx",
               Text.empty() ? "" : "; ", T->Id,
               (unsigned long long)(T->CallPC & ~1ull));
    else if (T->WaitsFor == Thread::Futex || T->WaitsFor == Thread::OwnedFutex)
      snprintf(Line, sizeof Line, "%s%u for the futex at 0x%llx, at pc 0x%llx",
               Text.empty() ? "" : "; ", T->Id,
               (unsigned long long)T->FutexAddr,
               (unsigned long long)(T->CallPC & ~1ull));
    else
      snprintf(Line, sizeof Line, "%s%u for a signal, at pc 0x%llx",
               Text.empty() ? "" : "; ", T->Id,
               (unsigned long long)(T->CallPC & ~1ull));
    Text += Line;
  }
  return Text;
}
