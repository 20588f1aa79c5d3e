//===- LinuxFutex.cpp - The futex system call
//------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/LinuxCalls.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::futex(bool Wide) {
  enum : uint64_t {
    Wait,
    Wake,
    Requeue = 3,
    CompareRequeue,
    WakeOp,
    LockOwned,
    UnlockOwned,
    TryLockOwned,
    WaitBits,
    WakeBits,
    LockOwnedMonotonic = 13,
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
  case LockOwned:
  case LockOwnedMonotonic: {
    uint64_t Until = Thread::Never;
    if (arg(3)) {
      int64_t Time = duration(arg(3), Wide);
      if (Time < 0)
        return Time;
      Until = Time;
      if (Operation == LockOwned || (arg(1) & RealTime))
        Until -= std::min(Until, World::Epoch * 1000000000);
    }
    return futexLock(arg(0), Until, /*MayWait=*/true);
  }
  case TryLockOwned:
    return futexLock(arg(0), 0, /*MayWait=*/false);
  case UnlockOwned:
    return futexUnlock(arg(0));
  default:
    note(Unknown[G.read(G.is64() ? 8 : 7).Lo]);
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
  Current->Restarts = Until == Thread::Never ? Thread::IfWanted : Thread::Not;
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
// Futexes that have an owner: with priority inheritance, or robust
//===----------------------------------------------------------------------===//

// Whose number is in the word, and two bits of the kernel's.
namespace {
enum : uint32_t {
  OwnerMask = 0x3fffffff,
  OwnerDied = 0x40000000,
  HasWaiters = 0x80000000
};
}

static StringRef wordBytes(const uint32_t &Word) {
  return StringRef(reinterpret_cast<const char *>(&Word), sizeof Word);
}

int64_t LinuxCalls::futexLock(uint64_t Addr, uint64_t Until, bool MayWait) {
  if (Addr % 4)
    return -EINVAL;
  bool Ok = true;
  uint32_t Word = word(Addr, 4, Ok), Owner = Word & OwnerMask;
  if (!Ok)
    return -EFAULT;
  if (Owner == Current->Id)
    return -EDEADLK;
  if (!Owner)
    return store(Addr, wordBytes((Word & ~OwnerMask) | Current->Id));
  if (!MayWait)
    return -EAGAIN;
  if (!find(Owner))
    return -ESRCH;
  if (!(Word & HasWaiters) && store(Addr, wordBytes(Word | HasWaiters)))
    return -EFAULT;
  if (Until <= W.now())
    return -ETIMEDOUT;
  Current->WaitsFor = Thread::OwnedFutex;
  Current->FutexAddr = Addr;
  Current->FutexOwner = Owner;
  Current->Restarts = Thread::Always;
  wait(Until, -ETIMEDOUT);
  return 0;
}

int64_t LinuxCalls::futexUnlock(uint64_t Addr) {
  bool Ok = Addr % 4 == 0;
  if (!Ok)
    return -EINVAL;
  uint32_t Word = word(Addr, 4, Ok);
  if (!Ok)
    return -EFAULT;
  if ((Word & OwnerMask) != Current->Id)
    return -EPERM;
  if (handOver(Addr, Current->Id, 0))
    return 0;
  return store(Addr, wordBytes(0));
}

/// Gives a futex to the first who waits for it. False: nobody does.
bool LinuxCalls::handOver(uint64_t Addr, unsigned Owner, uint32_t Bits) {
  Thread *First = nullptr;
  for (auto &T : Threads)
    if (T->State == Thread::Waiting && T->WaitsFor == Thread::OwnedFutex &&
        T->FutexAddr == Addr && T->FutexOwner == Owner &&
        (!First || T->WaitOrder < First->WaitOrder))
      First = T.get();
  if (!First)
    return false;
  for (auto &T : Threads)
    if (T->State == Thread::Waiting && T->WaitsFor == Thread::OwnedFutex &&
        T->FutexAddr == Addr)
      T->FutexOwner = First->Id;
  store(Addr, wordBytes(HasWaiters | Bits | First->Id));
  wake(*First, 0);
  return true;
}

/// What the current thread owns when it ends becomes others'.
void LinuxCalls::releaseOwned() {
  // struct robust_list_head: the first entry, where an entry has its futex, and
  // an entry on its way into the list or out of it. Bit 0 of an entry: it has
  // priority inheritance.
  constexpr unsigned Longest = 2048;
  unsigned Word = G.is64() ? 8 : 4;
  bool Ok = true;
  if (uint64_t Head = Current->RobustList) {
    uint64_t Entry = word(Head, Word, Ok), Offset = word(Head + Word, Word, Ok),
             Pending = word(Head + 2 * Word, Word, Ok);
    for (unsigned K = 0; Ok && K < Longest && (Entry & ~1ull) != Head; ++K) {
      // It may be gone when its futex is free.
      uint64_t Next = word(Entry & ~1ull, Word, Ok);
      if (Entry != Pending)
        releaseRobust(Entry, Offset, /*IsPending=*/false);
      Entry = Next;
    }
    if (Pending)
      releaseRobust(Pending, Offset, /*IsPending=*/true);
  }
  std::vector<uint64_t> Owned;
  for (const auto &T : Threads)
    if (T->State == Thread::Waiting && T->WaitsFor == Thread::OwnedFutex &&
        T->FutexOwner == Current->Id)
      Owned.push_back(T->FutexAddr);
  for (uint64_t Addr : Owned)
    handOver(Addr, Current->Id, OwnerDied);
}

void LinuxCalls::releaseRobust(uint64_t Entry, uint64_t Offset,
                               bool IsPending) {
  bool Ok = true, Inherits = Entry & 1;
  uint64_t Addr = (Entry & ~1ull) + Offset;
  if (!G.is64())
    Addr = uint32_t(Addr);
  uint32_t Word = word(Addr, 4, Ok);
  if (!Ok || Addr % 4)
    return;
  if (IsPending && !Inherits && !Word) {
    // It was about to wake somebody.
    futexWake(Addr, 1, ~0u);
    return;
  }
  if ((Word & OwnerMask) != Current->Id)
    return;
  store(Addr, wordBytes((Word & HasWaiters) | OwnerDied));
  if (!Inherits && (Word & HasWaiters))
    futexWake(Addr, 1, ~0u);
}
