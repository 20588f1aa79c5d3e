//===- LinuxSignals.cpp - Linux system calls about signals ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

using namespace llvm;
using namespace rw::record;

namespace {
enum Number : unsigned {
  Kill = 9,
  Child = 17,
  Continue = 18,
  Stop = 19,
  StopOutput = 22,
  Urgent = 23,
  Winch = 28,
  Last = 64
};
enum SignalCode : int { ByUser = 0, ByThread = -6 };

bool isHarmless(unsigned S) {
  return S == Child || S == Continue || S == Urgent || S == Winch;
}
/// SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS.
bool isFault(unsigned S) {
  return S == 4 || S == 5 || S == 7 || S == 8 || S == 11 || S == 31;
}
bool stops(unsigned S) { return S >= Stop && S <= StopOutput; }
} // namespace

int64_t LinuxCalls::performSignal(Call What) {
  SignalInfo Info;
  Info.Sender = ProcessNumber;
  switch (What) {
  case Call::SetAction:
    return setAction();
  case Call::SetMask:
    return setMask();
  case Call::PendingSignals: {
    SignalSet Set = 0;
    for (const auto *List : {&Pending, &Current->Pending})
      for (const SignalInfo &I : *List)
        Set |= signalBit(I.Signal);
    Set &= Current->Mask;
    return store(arg(0), StringRef(reinterpret_cast<const char *>(&Set), 8));
  }
  case Call::SetAltStack:
    return setAltStack();
  case Call::Suspend:
    return suspend();
  case Call::Pause:
    Current->WaitsFor = Thread::Signals;
    Current->AwaitedSignals = 0;
    wait(Thread::Never, -EINTR);
    return 0;
  case Call::AwaitSignal:
    return awaitSignal(G.is64());
  case Call::AwaitSignalWide:
    return awaitSignal(true);
  case Call::Kill:
  case Call::QueueSignal: {
    // 0 and -1 mean groups of processes; here they are this one.
    int32_t To = int32_t(arg(0));
    if (To > 0 && To != int32_t(ProcessNumber))
      return -ESRCH;
    if (What == Call::QueueSignal) {
      bool Ok = true;
      Info.Code = int32_t(word(arg(2) + 8, 4, Ok));
      Info.Value = word(arg(2) + (G.is64() ? 24 : 20), G.is64() ? 8 : 4, Ok);
      if (!Ok)
        return -EFAULT;
    }
    return send(unsigned(arg(1)), nullptr, Info);
  }
  case Call::ThreadKill:
  case Call::ThreadKillOld: {
    bool HasGroup = What == Call::ThreadKill;
    Thread *To = find(arg(HasGroup ? 1 : 0));
    if (!To || (HasGroup && arg(0) != ProcessNumber))
      return -ESRCH;
    Info.Code = ByThread;
    return send(unsigned(arg(HasGroup ? 2 : 1)), To, Info);
  }
  case Call::SignalReturn:
  case Call::SignalReturnOld:
    if (!popFrame(What == Call::SignalReturn))
      return end(0, 11); // the kernel sends SIGSEGV
    How = Served::Jumps;
    return 0;
  case Call::SetTimer:
    return setTimer(true);
  case Call::GetTimer:
    return setTimer(false);
  default:
    return performTimer(What);
  }
}

int64_t LinuxCalls::setAction() {
  uint64_t Signal = arg(0), New = arg(1), Old = arg(2);
  unsigned Word = G.is64() ? 8 : 4;
  if (Signal < 1 || Signal > Last || arg(3) != 8)
    return -EINVAL;
  SignalAction &A = Actions[Signal];
  const SignalAction Before = A;
  if (New) {
    if (Signal == Kill || Signal == Stop)
      return -EINVAL;
    bool Ok = true;
    SignalAction N;
    N.Handler = word(New, Word, Ok);
    N.Flags = word(New + Word, Word, Ok);
    N.Restorer = word(New + 2 * Word, Word, Ok);
    N.Mask = word(New + 3 * Word, 8, Ok);
    if (!Ok)
      return -EFAULT;
    A = N;
    if (isIgnored(Signal))
      forgetPending(Signal);
  }
  if (!Old)
    return 0;
  std::string Bytes;
  for (uint64_t V : {Before.Handler, Before.Flags, Before.Restorer})
    Bytes.append(reinterpret_cast<const char *>(&V), Word);
  Bytes.append(reinterpret_cast<const char *>(&Before.Mask), 8);
  return store(Old, Bytes);
}

static SignalSet maskable(SignalSet S) {
  return S & ~(signalBit(Kill) | signalBit(Stop));
}

int64_t LinuxCalls::setMask() {
  enum : uint64_t { Block, Unblock, Set };
  if (arg(3) != 8)
    return -EINVAL;
  SignalSet Old = Current->Mask;
  if (arg(1)) {
    bool Ok = true;
    SignalSet S = word(arg(1), 8, Ok);
    if (!Ok)
      return -EFAULT;
    if (arg(0) > Set)
      return -EINVAL;
    Current->Mask = maskable(arg(0) == Block     ? Old | S
                             : arg(0) == Unblock ? Old & ~S
                                                 : S);
  }
  return arg(2) ? store(arg(2), StringRef(reinterpret_cast<char *>(&Old), 8))
                : 0;
}

int64_t LinuxCalls::setAltStack() {
  constexpr uint32_t Disabled = 2;
  unsigned Word = G.is64() ? 8 : 4;
  std::string Before;
  uint32_t Flags = Current->AltStackDisabled ? Disabled : 0;
  Before.append(reinterpret_cast<const char *>(&Current->AltStack), Word);
  Before.append(reinterpret_cast<const char *>(&Flags), 4);
  Before.resize(2 * Word);
  Before.append(reinterpret_cast<const char *>(&Current->AltStackSize), Word);
  if (arg(0)) {
    bool Ok = true;
    uint64_t Addr = word(arg(0), Word, Ok),
             Size = word(arg(0) + 2 * Word, Word, Ok);
    Flags = uint32_t(word(arg(0) + Word, 4, Ok));
    if (!Ok)
      return -EFAULT;
    if (!(Flags & Disabled) && Size < 2048)
      return -ENOMEM;
    Current->AltStackDisabled = Flags & Disabled;
    Current->AltStack = Addr;
    Current->AltStackSize = Size;
  }
  return arg(1) ? store(arg(1), Before) : 0;
}

/// For the time of a call, or until the handler that ends it has returned.
void LinuxCalls::replaceMask(SignalSet S) {
  Current->MaskBefore = Current->Mask;
  Current->HasMaskBefore = true;
  Current->Mask = maskable(S);
}

void LinuxCalls::restoreMask() {
  if (Current->HasMaskBefore)
    Current->Mask = Current->MaskBefore;
  Current->HasMaskBefore = false;
}

int64_t LinuxCalls::suspend() {
  bool Ok = true;
  SignalSet S = word(arg(0), 8, Ok);
  if (!Ok)
    return -EFAULT;
  replaceMask(S);
  Current->WaitsFor = Thread::Signals;
  Current->AwaitedSignals = 0;
  wait(Thread::Never, -EINTR);
  return 0;
}

int64_t LinuxCalls::awaitSignal(bool Wide) {
  bool Ok = true;
  SignalSet S = word(arg(0), 8, Ok);
  uint64_t Until = Thread::Never;
  if (!Ok)
    return -EFAULT;
  if (arg(2)) {
    int64_t Time = duration(arg(2), Wide);
    if (Time < 0)
      return Time;
    Until = W.after(Time);
  }
  if (std::optional<SignalInfo> I = take(S)) {
    if (arg(1))
      store(arg(1), signalInfo(*I));
    return I->Signal;
  }
  if (Until <= W.now())
    return -EAGAIN;
  Current->WaitsFor = Thread::Signals;
  Current->AwaitedSignals = S;
  Current->RemainderAddr = arg(1);
  wait(Until, -EAGAIN);
  return 0;
}

bool LinuxCalls::isIgnored(unsigned S) const {
  return Actions[S].Handler == SignalAction::Ignore ||
         (Actions[S].Handler == SignalAction::Default && isHarmless(S));
}

bool LinuxCalls::interrupts(const Thread &T, unsigned S) const {
  if (T.State != Thread::Waiting)
    return false;
  if (T.WaitsFor == Thread::Signals && (T.AwaitedSignals & signalBit(S)))
    return true;
  return !(T.Mask & signalBit(S)) && !isIgnored(S);
}

int64_t LinuxCalls::send(unsigned S, Thread *To, SignalInfo Info) {
  if (S > Last)
    return -EINVAL;
  if (!S)
    return 0;
  if (stops(S) && (S == Stop || Actions[S].Handler == SignalAction::Default)) {
    refuse("to stop by signal " + std::to_string(S) +
               ", since nobody would let it go on",
           0);
    return 0;
  }
  Info.Signal = int(S);
  auto Awaits = [&](const Thread &T) {
    return T.State == Thread::Waiting && T.WaitsFor == Thread::Signals &&
           (T.AwaitedSignals & signalBit(S));
  };
  // A blocked signal is kept even if it is ignored: the program may wait for
  // it, or give it a handler. The first thread speaks for the program.
  const Thread &Asked = To ? *To : *Threads[0];
  bool Awaited =
      To ? Awaits(*To)
         : llvm::any_of(Threads, [&](const auto &T) { return Awaits(*T); });
  if (isIgnored(S) && !Awaited && !(Asked.Mask & signalBit(S)))
    return 0;
  std::vector<SignalInfo> &List = To ? To->Pending : Pending;
  constexpr unsigned FirstQueued = 32;
  // Signals of the old kind are not counted.
  if (S < FirstQueued && llvm::any_of(List, [&](const SignalInfo &I) {
        return I.Signal == int(S);
      }))
    return 0;
  if (List.size() >= 1000)
    return -EAGAIN;
  List.push_back(Info);
  ++SignalsSent;
  // Who runs gets it at once; else it ends somebody's wait.
  if (!To && !(Current->Mask & signalBit(S)) && Current->State == Thread::Ready)
    return 0;
  for (auto &T : Threads) {
    if ((To && T.get() != To) || !interrupts(*T, S))
      continue;
    bool IsAwaited = Awaits(*T);
    if (IsAwaited) {
      wake(*T, S);
      llvm::erase_if(List,
                     [&](const SignalInfo &I) { return I.Signal == int(S); });
      noteTimer(Info);
      T->Info = signalInfo(Info);
    } else {
      T->Interrupted = true;
      wake(*T, -EINTR);
    }
    break;
  }
  return 0;
}

/// A program that comes to ignore a signal has not had it.
void LinuxCalls::forgetPending(unsigned S) {
  auto Forget = [&](std::vector<SignalInfo> &List) {
    llvm::erase_if(List,
                   [&](const SignalInfo &I) { return I.Signal == int(S); });
  };
  Forget(Pending);
  for (auto &T : Threads)
    Forget(T->Pending);
}

/// Signals that were blocked when they came and no longer are, and that the
/// program ignores.
void LinuxCalls::dropIgnored() {
  for (auto *List : {&Current->Pending, &Pending})
    llvm::erase_if(*List, [&](const SignalInfo &I) {
      return !(Current->Mask & signalBit(I.Signal)) && isIgnored(I.Signal);
    });
}

/// The thread's own signals come first, of these the faults, then the lowest
/// number, then the oldest.
std::optional<SignalInfo> LinuxCalls::take(SignalSet From) {
  auto Order = [](const SignalInfo &I) {
    return std::pair(!isFault(I.Signal), I.Signal);
  };
  for (auto *List : {&Current->Pending, &Pending}) {
    auto It = List->end();
    for (auto I = List->begin(); I != List->end(); ++I)
      if ((From & signalBit(I->Signal)) &&
          (It == List->end() || Order(*I) < Order(*It)))
        It = I;
    if (It == List->end())
      continue;
    SignalInfo Info = *It;
    List->erase(It);
    noteTimer(Info);
    return Info;
  }
  return std::nullopt;
}

bool LinuxCalls::hasSignal() const {
  if (Current->Pending.empty() && Pending.empty())
    return false;
  using SignalList = std::vector<SignalInfo>;
  for (const SignalList *List : {&std::as_const(Current->Pending), &Pending})
    for (const SignalInfo &I : *List)
      if (!(Current->Mask & signalBit(I.Signal)))
        return true;
  return false;
}

bool LinuxCalls::fault(int Signal, int Code, uint64_t Addr) {
  const SignalAction &A = Actions[Signal];
  if (A.Handler == SignalAction::Default || A.Handler == SignalAction::Ignore ||
      (Current->Mask & signalBit(Signal)))
    return false;
  SignalInfo Info;
  Info.Signal = Signal;
  Info.Code = Code;
  Info.Address = Addr;
  Current->Pending.insert(Current->Pending.begin(), Info);
  return true;
}

LinuxCalls::Delivery LinuxCalls::deliver(uint8_t IfThen) {
  Delivery D;
  Thread &T = *Current;
  std::optional<SignalInfo> Info = take(~T.Mask);
  if (!Info)
    return D;
  SignalAction &A = Actions[Info->Signal];
  auto Die = [&](int Signal) {
    end(0, Signal);
    D.Signal = Signal;
    D.Fatal = true;
    return D;
  };
  if (isIgnored(Info->Signal))
    return D;
  if (A.Handler == SignalAction::Default)
    return Die(Info->Signal);
  // The call that it interrupted begins again where the program wants that.
  if (T.Interrupted && !T.Done &&
      (T.Restarts == Thread::Always ||
       (T.Restarts == Thread::IfWanted && (A.Flags & SignalAction::Restart)))) {
    T.PC = T.CallPC;
    G.write(X0, T.CallArg);
  }
  T.Interrupted = false;
  D.Signal = Info->Signal;
  D.ReturnTo = T.PC & ~uint64_t(!G.is64());
  if (!pushFrame(*Info, A, IfThen))
    return Die(11);
  T.HasMaskBefore = false;
  T.Mask =
      maskable(T.Mask | A.Mask |
               (A.Flags & SignalAction::NoDefer ? 0 : signalBit(Info->Signal)));
  if (A.Flags & SignalAction::ResetHand)
    A.Handler = SignalAction::Default;
  return D;
}
