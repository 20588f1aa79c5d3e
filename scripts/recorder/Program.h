//===- Program.h - Threads and signals of a Linux program ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_PROGRAM_H
#define REWIND_RECORDER_PROGRAM_H

#include "scripts/recorder/Guest.h"
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rw::record {

struct OpenFile;

/// A set of signals: bit N - 1 is signal N, as in the kernel's sigset_t.
using SignalSet = uint64_t;
inline SignalSet signalBit(unsigned Signal) { return 1ull << (Signal - 1); }

/// A signal on its way: what siginfo_t says of it.
struct SignalInfo {
  int Signal = 0;
  int Code = 0;         ///< SI_USER is 0, SI_TKILL -6, SI_KERNEL 0x80
  uint64_t Address = 0; ///< of a fault
  unsigned Sender = 0;  ///< process, of kill and its like
  uint64_t Value = 0;   ///< of sigqueue, or of a timer
  unsigned Timer = 0, Overrun = 0; ///< if its Code is SI_TIMER, -2
};

/// What a program wants done with a signal: struct sigaction of the kernel.
struct SignalAction {
  uint64_t Handler = 0, Flags = 0, Restorer = 0;
  SignalSet Mask = 0;
  static constexpr uint64_t Default = 0, Ignore = 1;
  enum : uint64_t {
    Info = 4,
    OnStack = 0x08000000,
    Restart = 0x10000000,
    NoDefer = 0x40000000,
    ResetHand = 0x80000000
  };
};

/// A timer that sends signals: one of setitimer's three, or timer_create's.
struct SignalTimer {
  bool IsThere = true, IsRealTime = false, IsSilent = false, IsPosix = false;
  uint64_t At = ~0ull, Interval = 0; ///< nanoseconds of the recording's clock
  unsigned Signal = 0, ThreadId = 0; ///< 0: any thread
  uint64_t Value = 0;
  unsigned Overrun = 0, LastOverrun = 0;
};

/// One thread of a Linux program.
struct Thread {
  static constexpr uint64_t Never = ~0ull;

  Thread(unsigned Id, unsigned Cpu) : Id(Id), Cpu(Cpu) {}

  unsigned Id;      ///< what gettid says
  unsigned Cpu;     ///< its number in the trace, from 0
  std::string Name; ///< that it has given itself
  enum { Ready, Waiting, Ended } State = Ready;
  CpuContext Context; ///< its registers, while another one runs
  uint64_t PC = 0;    ///< where it goes on, with Thumb bit

  /// While it waits: in which call, for what, and until when (nanoseconds of
  /// the recording's clock).
  enum { Futex, OwnedFutex, Sleep, Signals, Files } WaitsFor = Futex;
  uint64_t FutexAddr = 0;
  uint32_t FutexBits = 0;
  unsigned FutexOwner = 0; ///< OwnedFutex: the thread that has it
  /// Files: any of these events of any of these lets it try its call again.
  std::vector<std::pair<std::shared_ptr<OpenFile>, uint32_t>> Awaited;
  /// That they had when the call last tried in vain.
  std::optional<uint64_t> TriedArrivals;
  uint64_t Done = 0; ///< bytes that its call has written so far
  /// Whether its call begins again after a handler with SA_RESTART, or any.
  enum { Not, IfWanted, Always } Restarts = Not;
  SignalSet AwaitedSignals = 0;
  uint64_t Until = Never;
  int64_t TimeoutResult = 0; ///< the call's result when the time is over
  int64_t Result = 0;        ///< when it is Ready again
  /// Where it tells how much time is left, and in which form.
  uint64_t RemainderAddr = 0;
  bool WideRemainder = true;
  unsigned RemainderUnit = 1; ///< nanoseconds, of the fraction
  std::string Info;           ///< siginfo_t of the signal that it waited for
  bool Interrupted = false;   ///< by a signal: the call may begin again,
  uint64_t CallPC = 0;        ///< there, with Thumb bit,
  uint64_t CallArg = 0;       ///< and with this as its first argument
  uint64_t WaitOrder = 0;     ///< futexes wake who came first

  uint64_t ClearTid = 0;   ///< to be cleared, and woken, at its end
  uint64_t RobustList = 0; ///< of mutexes that its end gives to others
  SignalSet Mask = 0;
  SignalSet MaskBefore = 0; ///< of sigsuspend, for the time after the handler
  bool HasMaskBefore = false;
  std::vector<SignalInfo> Pending;
  uint64_t AltStack = 0, AltStackSize = 0;
  bool AltStackDisabled = true;
};

} // namespace rw::record

#endif // REWIND_RECORDER_PROGRAM_H
