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
    return refuse("to start another process", ENOSYS);
  case Call::Execute: {
    std::string Path;
    int64_t Error = 0;
    return text(arg(0), Path, Error)
               ? refuse("to run '" + Path + "' in place of the program", EACCES)
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
  default:
    return -ENOSYS;
  }
}

int64_t LinuxCalls::clone() {
  enum : uint64_t {
    SharesMemory = 0x100,
    IsThread = 0x10000,
    SetsTls = 0x80000,
    TellsParent = 0x100000,
    ClearsChild = 0x200000,
    TellsChild = 0x1000000
  };
  uint64_t Flags = arg(0), Stack = arg(1), ParentTid = arg(2), Tls = arg(3),
           ChildTid = arg(4);
  if ((Flags & (SharesMemory | IsThread)) != (SharesMemory | IsThread))
    return refuse("to start another process", ENOSYS);
  size_t Slot = Threads.size();
  if (Slot == MaxThreads) {
    // A trace has no more CPUs.
    auto It = llvm::find_if(
        Threads, [](const auto &T) { return T->State == Thread::Ended; });
    if (It == Threads.end())
      return refuse("more than 250 threads at a time", EAGAIN);
    Slot = It - Threads.begin();
    ++Refused["after 250 threads, new ones take the CPUs of those that have "
              "ended"];
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
  ++NextId;
  if (Slot == Threads.size())
    Threads.push_back(std::move(T));
  else
    Threads[Slot] = std::move(T);
  return NextId - 1;
}

void LinuxCalls::endThread() {
  if (Current->ClearTid) {
    store(Current->ClearTid, StringRef("\0\0\0\0", 4));
    futexWake(Current->ClearTid, 1, ~0u);
  }
  Current->State = Thread::Ended;
  How = Served::Ends;
}

//===----------------------------------------------------------------------===//
// Futexes
//===----------------------------------------------------------------------===//

int64_t LinuxCalls::futex(bool Wide) {
  enum : uint64_t {
    Wait,
    Wake,
    Requeue = 3,
    CompareRequeue,
    WakeOp,
    WaitBits = 9,
    WakeBits,
    Private = 0x80,
    RealTime = 0x100
  };
  uint64_t Operation = arg(1) & ~(Private | RealTime);
  switch (Operation) {
  case Wait:
  case WaitBits: {
    uint64_t Until = Thread::Never;
    if (arg(3)) {
      int64_t Time = duration(arg(3), Wide);
      if (Time < 0)
        return Time;
      Until = Operation == Wait ? W.after(Time) : uint64_t(Time);
      // What a clock that shows the time of day says.
      if (Operation == WaitBits && (arg(1) & RealTime))
        Until -= std::min(Until, World::Epoch * 1000000000);
    }
    uint32_t Bits = Operation == Wait ? ~0u : uint32_t(arg(5));
    return Bits ? futexWait(arg(0), arg(2), Until, Bits) : -EINVAL;
  }
  case Wake:
    return futexWake(arg(0), uint32_t(arg(2)), ~0u);
  case WakeBits:
    return arg(5) ? futexWake(arg(0), uint32_t(arg(2)), arg(5)) : -EINVAL;
  case CompareRequeue: {
    bool Ok = true;
    uint64_t Value = word(arg(0), 4, Ok);
    if (!Ok)
      return -EFAULT;
    if (Value != uint32_t(arg(5)))
      return -EAGAIN;
    [[fallthrough]];
  }
  case Requeue:
    return futexRequeue(arg(0), uint32_t(arg(2)), uint32_t(arg(3)), arg(4));
  case WakeOp:
    return futexWakeOp();
  default:
    ++Unknown[G.is64() ? 98 : 240];
    return -ENOSYS;
  }
}

int64_t LinuxCalls::futexWait(uint64_t Addr, uint32_t Value, uint64_t Until,
                              uint32_t Bits) {
  bool Ok = Addr % 4 == 0;
  if (!Ok)
    return -EINVAL;
  uint64_t Now = word(Addr, 4, Ok);
  if (!Ok)
    return -EFAULT;
  if (Now != Value)
    return -EAGAIN;
  if (Until <= W.now())
    return -ETIMEDOUT;
  Current->WaitsFor = Thread::Futex;
  Current->FutexAddr = Addr;
  Current->FutexBits = Bits;
  wait(Until, -ETIMEDOUT);
  return 0;
}

int64_t LinuxCalls::futexWake(uint64_t Addr, uint64_t Count, uint32_t Bits) {
  std::vector<Thread *> Waiting;
  for (auto &T : Threads)
    if (T->State == Thread::Waiting && T->WaitsFor == Thread::Futex &&
        T->FutexAddr == Addr && (T->FutexBits & Bits))
      Waiting.push_back(T.get());
  llvm::sort(Waiting, [](const Thread *A, const Thread *B) {
    return A->WaitOrder < B->WaitOrder;
  });
  Waiting.resize(std::min<uint64_t>(Waiting.size(), Count));
  for (Thread *T : Waiting)
    wake(*T, 0);
  return Waiting.size();
}

int64_t LinuxCalls::futexRequeue(uint64_t From, uint64_t Wake, uint64_t Move,
                                 uint64_t To) {
  int64_t Done = futexWake(From, Wake, ~0u);
  std::vector<Thread *> Waiting;
  for (auto &T : Threads)
    if (T->State == Thread::Waiting && T->WaitsFor == Thread::Futex &&
        T->FutexAddr == From)
      Waiting.push_back(T.get());
  llvm::sort(Waiting, [](const Thread *A, const Thread *B) {
    return A->WaitOrder < B->WaitOrder;
  });
  Waiting.resize(std::min<uint64_t>(Waiting.size(), Move));
  for (Thread *T : Waiting) {
    T->FutexAddr = To;
    T->WaitOrder = ++WaitCount;
  }
  return Done + int64_t(Waiting.size());
}

/// FUTEX_WAKE_OP: changes a second word, and wakes its waiters, too, if it was
/// as expected.
int64_t LinuxCalls::futexWakeOp() {
  uint32_t Code = arg(5);
  unsigned Operation = Code >> 28 & 7, Comparison = Code >> 24 & 15;
  int32_t Operand = int32_t(Code << 8) >> 20,
          Expected = int32_t(Code << 20) >> 20;
  if (Code >> 31)
    Operand = int32_t(1u << (Operand & 31));
  bool Ok = true;
  int32_t Old = int32_t(word(arg(4), 4, Ok)), New = Old;
  if (!Ok)
    return -EFAULT;
  switch (Operation) {
  case 0:
    New = Operand;
    break;
  case 1:
    New = int32_t(uint32_t(Old) + uint32_t(Operand));
    break;
  case 2:
    New = Old | Operand;
    break;
  case 3:
    New = Old & ~Operand;
    break;
  case 4:
    New = Old ^ Operand;
    break;
  default:
    return -ENOSYS;
  }
  if (store(arg(4), StringRef(reinterpret_cast<const char *>(&New), 4)))
    return -EFAULT;
  int64_t Done = futexWake(arg(0), uint32_t(arg(2)), ~0u);
  bool Holds = Comparison == 0   ? Old == Expected
               : Comparison == 1 ? Old != Expected
               : Comparison == 2 ? Old < Expected
               : Comparison == 3 ? Old <= Expected
               : Comparison == 4 ? Old > Expected
                                 : Old >= Expected;
  return Holds ? Done + futexWake(arg(4), uint32_t(arg(3)), ~0u) : Done;
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
  if (!T.Interrupted || hasSignal())
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

void LinuxCalls::endWait() {
  Thread &T = *Current;
  if (!T.Interrupted)
    restoreMask();
  int64_t Result = T.Result;
  if (T.Interrupted && T.WaitsFor == Thread::Sleep && T.RemainderAddr) {
    uint64_t Left = T.Until > W.now() ? T.Until - W.now() : 0;
    std::string Bytes;
    for (uint64_t V : {Left / 1000000000, Left % 1000000000})
      Bytes.append(reinterpret_cast<const char *>(&V), T.WideRemainder ? 8 : 4);
    store(T.RemainderAddr, Bytes);
  }
  if (!T.Info.empty() && T.RemainderAddr)
    store(T.RemainderAddr, T.Info);
  T.Info.clear();
  G.write(X0, G.is64() ? Result : uint32_t(Result));
}

Thread *LinuxCalls::next() {
  // A timer whose signal nobody wants can go off for ever.
  constexpr unsigned MostTimers = 10000;
  for (unsigned Round = 0; Round < MostTimers; ++Round) {
    uint64_t Earliest = Thread::Never;
    checkTimer();
    for (auto &T : Threads)
      if (T->State == Thread::Waiting && T->Until <= W.now())
        wake(*T, T->TimeoutResult);
    size_t N = Threads.size();
    for (size_t K = 1; K <= N; ++K) {
      Thread &T = *Threads[(Current->Cpu + K) % N];
      if (T.State == Thread::Ready) {
        Current = &T;
        beginTurn();
        return Current;
      }
      if (T.State == Thread::Waiting)
        Earliest = std::min(Earliest, T.Until);
    }
    for (const auto &T : Timers)
      Earliest = std::min(Earliest, T.At);
    if (Earliest == Thread::Never)
      return nullptr;
    W.Idle += Earliest - W.now();
  }
  return nullptr;
}

void LinuxCalls::beginTurn() { TurnEnd = W.Instructions + W.Turn; }

uint64_t LinuxCalls::turnEnd() const {
  uint64_t Time = Thread::Never;
  bool Others = false;
  for (const auto &T : Threads) {
    Others |= T.get() != Current && T->State == Thread::Ready;
    if (T->State == Thread::Waiting)
      Time = std::min(Time, T->Until);
  }
  for (const auto &T : Timers)
    Time = std::min(Time, T.At);
  uint64_t End = Time == Thread::Never ? Time : Time - std::min(Time, W.Idle);
  return Others ? std::min(End, TurnEnd) : End;
}

std::string LinuxCalls::describeDeadlock() const {
  std::string Text;
  for (const auto &T : Threads) {
    if (T->State != Thread::Waiting)
      continue;
    char Line[120];
    if (T->WaitsFor == Thread::Futex)
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
