//===- LinuxPoll.cpp - System calls that wait for files -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call that has to wait says for which events of which files. When one is
// there, or the time is over, it is done once more (tryAgain), and ends or
// waits on.
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include <algorithm>
#include <cerrno>

using namespace llvm;
using namespace rw::record;

Asker LinuxCalls::asker(const Thread &T) const {
  Asker A;
  A.Now = W.now();
  for (const auto *List : {&T.Pending, &Pending})
    for (const SignalInfo &I : *List)
      A.Pending |= signalBit(I.Signal);
  return A;
}

/// \p Events: any of these lets the call try again.
void LinuxCalls::waitForFile(std::shared_ptr<OpenFile> F, uint32_t Events,
                             uint64_t Until) {
  Current->WaitsFor = Thread::Files;
  Current->RemainderAddr = 0;
  Current->Awaited.clear();
  if (F)
    Current->Awaited.push_back({std::move(F), Events});
  wait(Until, 0);
}

static uint64_t arrivals(const Thread &T, const Asker &A) {
  uint64_t Sum = 0;
  for (const auto &[F, Events] : T.Awaited)
    if (F->Object)
      Sum += F->Object->arrivals(A);
  return Sum;
}

/// The current thread's call, once more. True: it waits on.
bool LinuxCalls::tryAgain() {
  How = Served::Done;
  IsRetry = true;
  Current->Awaited.clear();
  int64_t Result = dispatch(G.read(G.is64() ? 8 : 7).Lo);
  IsRetry = false;
  if (How == Served::Waits) {
    if (Current->WaitsFor == Thread::Files)
      Current->TriedArrivals = arrivals(*Current, asker(*Current));
    // It may have written a part.
    wakeFileWaiters();
    return Current->State == Thread::Waiting;
  }
  Current->Result = Result;
  wakeFileWaiters();
  return false;
}

void LinuxCalls::wakeFileWaiters() {
  for (auto &T : Threads) {
    if (T->State != Thread::Waiting || T->WaitsFor != Thread::Files)
      continue;
    Asker A = asker(*T);
    // What is there may not do for it.
    if (T->TriedArrivals && *T->TriedArrivals == arrivals(*T, A))
      continue;
    if (llvm::any_of(T->Awaited, [&](const auto &Wait) {
          return readiness(*Wait.first, A) & Wait.second;
        }))
      wake(*T, 0);
  }
}

/// When a timer or a thread that waits has something to do, at the earliest.
uint64_t LinuxCalls::nextTime() const {
  uint64_t Next = Thread::Never;
  for (const SignalTimer &T : Timers)
    Next = std::min(Next, T.At);
  for (const auto &T : Threads) {
    if (T->State != Thread::Waiting)
      continue;
    Next = std::min(Next, T->Until);
    if (T->WaitsFor == Thread::Files)
      for (const auto &[F, Events] : T->Awaited)
        if (F->Object)
          Next = std::min(Next, F->Object->nextChange(W.now()));
  }
  return Next;
}

int64_t LinuxCalls::performPoll(Call What) {
  // Milliseconds, of which a negative number is for ever.
  auto Milliseconds = [&](uint64_t Time) {
    return IsRetry             ? Current->Until
           : int32_t(Time) < 0 ? Thread::Never
                               : W.after(uint64_t(Time) * 1000000);
  };
  auto IsWide = [&](Call Wide) { return G.is64() || What == Wide; };
  unsigned Word = G.is64() ? 8 : 4;
  uint64_t TimeAt = 0, Mask = 0, MaskSize = 0, Until = Thread::Never;
  bool Ok = true, Wide = true, TellsLeft = false, IsTimeval = false;
  switch (What) {
  case Call::InterestMake:
    return addObject(std::make_shared<Interest>(), arg(0));
  case Call::InterestMakeOld:
    return int32_t(arg(0)) <= 0 ? -EINVAL
                                : addObject(std::make_shared<Interest>(), 0);
  case Call::InterestChange:
    return changeInterest();
  case Call::Poll:
    return poll(Milliseconds(arg(2)));
  case Call::InterestWait:
    return pollInterest(Milliseconds(arg(3)));
  case Call::InterestWaitMask:
    Until = Milliseconds(arg(3));
    Mask = arg(4);
    MaskSize = arg(5);
    break;
  case Call::InterestWaitTime:
    TimeAt = arg(3);
    Mask = arg(4);
    MaskSize = arg(5);
    break;
  case Call::PollTime:
  case Call::PollTimeWide:
    TimeAt = arg(2);
    Wide = IsWide(Call::PollTimeWide);
    Mask = arg(3);
    MaskSize = arg(4);
    TellsLeft = true;
    break;
  case Call::SelectOld:
    TimeAt = arg(4);
    Wide = false;
    TellsLeft = IsTimeval = true;
    break;
  default: // select with a mask, which it has in a structure
    TimeAt = arg(4);
    Wide = IsWide(Call::SelectTimeWide);
    TellsLeft = true;
    if (arg(5)) {
      Mask = word(arg(5), Word, Ok);
      MaskSize = word(arg(5) + Word, Word, Ok);
    }
    break;
  }
  if (!Ok)
    return -EFAULT;
  if (IsRetry) {
    Until = Current->Until;
  } else if (TimeAt) {
    int64_t Time = duration(TimeAt, Wide, IsTimeval ? 1000 : 1);
    if (Time < 0)
      return Time;
    Until = W.after(Time);
  }
  if (!IsRetry)
    if (int64_t E = setMaskOfWait(Mask, MaskSize))
      return E;
  bool IsPoll = What == Call::PollTime || What == Call::PollTimeWide;
  bool IsSelect = TellsLeft && !IsPoll;
  int64_t Result = IsPoll     ? poll(Until)
                   : IsSelect ? select(Until)
                              : pollInterest(Until);
  // The thread's wait ends without the call if a signal comes.
  Current->RemainderAddr = TellsLeft ? TimeAt : 0;
  Current->WideRemainder = Wide;
  Current->RemainderUnit = IsTimeval ? 1000 : 1;
  if (How != Served::Waits) {
    restoreMask();
    tellRemainder(Until);
  }
  return Result;
}

/// ppoll and its like have other signals blocked while they wait.
int64_t LinuxCalls::setMaskOfWait(uint64_t At, uint64_t Size) {
  bool Ok = true;
  if (!At)
    return 0;
  if (Size != sizeof(SignalSet))
    return -EINVAL;
  SignalSet S = word(At, 8, Ok);
  if (!Ok)
    return -EFAULT;
  replaceMask(S);
  return 0;
}

int64_t LinuxCalls::poll(uint64_t Until) {
  uint64_t Count = arg(1);
  if (Count > uint64_t(OpenFiles::Max))
    return -EINVAL;
  std::string Bytes(Count * 8, '\0');
  if (Count && !G.readMemory(arg(0), Bytes.data(), Bytes.size()))
    return -EFAULT;
  int64_t Ready = 0;
  const Asker A = asker(*Current);
  std::vector<std::pair<std::shared_ptr<OpenFile>, uint32_t>> Wanted;
  for (uint64_t K = 0; K < Count; ++K) {
    int32_t Fd;
    uint16_t Events;
    memcpy(&Fd, Bytes.data() + 8 * K, 4);
    memcpy(&Events, Bytes.data() + 8 * K + 4, 2);
    auto F = Fd < 0 ? nullptr : Files.get(Fd);
    // Those for "normal" data are others' names here.
    constexpr uint32_t NormalIn = 0x40, NormalOut = 0x100;
    auto WithNormal = [&](uint32_t E) {
      return E | (E & CanRead ? NormalIn : 0) | (E & CanWrite ? NormalOut : 0);
    };
    uint16_t Found =
        Fd < 0 ? 0
        : F    ? WithNormal(readiness(*F, A)) & (Events | HasFailed | HasHungUp)
               : IsNotOpen;
    putField(Bytes, 8 * K + 6, Found);
    Ready += Found != 0;
    if (F)
      Wanted.push_back({F, Events | HasFailed | HasHungUp |
                               (Events & NormalIn ? CanRead : 0) |
                               (Events & NormalOut ? CanWrite : 0)});
  }
  if (!Ready && Until > W.now()) {
    waitForFile(nullptr, 0, Until);
    Current->Awaited = std::move(Wanted);
    // What a signal ends leaves this, too.
    return Count && !IsRetry && store(arg(0), Bytes) ? -EFAULT : 0;
  }
  int64_t E = Count ? store(arg(0), Bytes) : 0;
  return E ? E : Ready;
}

int64_t LinuxCalls::select(uint64_t Until) {
  uint64_t Count = std::min<uint64_t>(arg(0), OpenFiles::Max);
  unsigned Word = G.is64() ? 8 : 4;
  unsigned Size = (Count + 8 * Word - 1) / (8 * Word) * Word;
  int64_t Ready = 0;
  const Asker A = asker(*Current);
  constexpr uint32_t Events[] = {CanRead | HasHungUp | HasFailed,
                                 CanWrite | HasFailed, IsUrgent};
  std::vector<std::pair<std::shared_ptr<OpenFile>, uint32_t>> Wanted;
  std::string Sets[3];
  for (unsigned K = 0; K < 3; ++K) {
    if (!arg(1 + K))
      continue;
    Sets[K].resize(Size);
    if (Size && !G.readMemory(arg(1 + K), Sets[K].data(), Size))
      return -EFAULT;
    for (uint64_t Fd = 0; Fd < Count; ++Fd) {
      char &Byte = Sets[K][Fd / 8];
      char Bit = char(1 << Fd % 8);
      if (!(Byte & Bit))
        continue;
      auto F = Files.get(Fd);
      if (!F)
        return -EBADF;
      bool Is = readiness(*F, A) & Events[K];
      Ready += Is;
      if (!Is)
        Byte &= char(~Bit);
      Wanted.push_back({std::move(F), Events[K]});
    }
  }
  if (!Ready && Until > W.now()) {
    waitForFile(nullptr, 0, Until);
    Current->Awaited = std::move(Wanted);
    return 0;
  }
  for (unsigned K = 0; K < 3; ++K)
    if (!Sets[K].empty())
      if (int64_t E = store(arg(1 + K), Sets[K]))
        return E;
  return Ready;
}

int64_t LinuxCalls::changeInterest() {
  enum { Add = 1, Delete, Modify };
  auto *Watch = objectOf<Interest>(arg(0), KernelObject::Kind::Interest);
  const int Fd = int32_t(arg(2));
  auto F = Files.get(uint32_t(Fd));
  if (!F || !Files.get(arg(0)))
    return -EBADF;
  // A file that is always ready cannot be watched.
  if (F->Is == OpenFile::File || F->Is == OpenFile::Folder)
    return -EPERM;
  if (!Watch || F->Object.get() == Watch)
    return -EINVAL;
  Interest::Item *Old = Watch->find(Fd, F);
  if (arg(1) == Delete) {
    Watch->remove(Fd, F);
    return Old ? 0 : -ENOENT;
  }
  bool Ok = true;
  Interest::Item New;
  New.Fd = Fd;
  New.File = F;
  New.Events = word(arg(3), 4, Ok);
  New.Data = word(arg(3) + 8, 8, Ok);
  if (!Ok)
    return -EFAULT;
  if (arg(1) == Modify) {
    if (!Old)
      return -ENOENT;
    *Old = std::move(New);
    return 0;
  }
  if (arg(1) != Add)
    return -EINVAL;
  if (Old)
    return -EEXIST;
  if (F->Object && F->Object->kind() == KernelObject::Kind::Interest &&
      static_cast<Interest &>(*F->Object).leadsTo(Watch))
    return -ELOOP;
  Watch->add(std::move(New));
  return 0;
}

int64_t LinuxCalls::pollInterest(uint64_t Until) {
  constexpr size_t Size = 16, Most = 4096; // struct epoll_event
  auto *Watch = objectOf<Interest>(arg(0), KernelObject::Kind::Interest);
  if (!Watch)
    return Files.get(arg(0)) ? -EINVAL : -EBADF;
  if (int32_t(arg(2)) <= 0)
    return -EINVAL;
  size_t Count = std::min<size_t>(arg(2), Most);
  if (!Memory.isWritable(arg(1), Size))
    return -EFAULT;
  std::vector<Interest::Told> Told = Watch->take(asker(*Current), Count);
  if (Told.empty() && Until > W.now()) {
    waitForFile(Files.get(arg(0)), CanRead, Until);
    return 0;
  }
  std::string Bytes(Told.size() * Size, '\0');
  for (size_t K = 0; K < Told.size(); ++K) {
    putField<uint32_t>(Bytes, K * Size, Told[K].Events);
    putField<uint64_t>(Bytes, K * Size + 8, Told[K].Data);
  }
  int64_t E = Bytes.empty() ? 0 : store(arg(1), Bytes);
  return E ? E : int64_t(Told.size());
}
