//===- LinuxTimers.cpp - Timers that send signals
//--------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include <algorithm>
#include <cerrno>

using namespace llvm;
using namespace rw::record;

namespace {
enum TimerSignal : unsigned {
  Alarm = 14,
  VirtualAlarm = 26,
  ProfileAlarm = 27
};
enum TimerCode : int { ByKernel = 0x80, ByTimer = -2 };
constexpr size_t OfSetTimer = 3; ///< the timers that setitimer has
} // namespace

int64_t LinuxCalls::setTimer(bool IsSet) {
  static constexpr unsigned Signals[] = {Alarm, VirtualAlarm, ProfileAlarm};
  if (arg(0) >= OfSetTimer)
    return -EINVAL;
  auto &T = Timers[arg(0)];
  unsigned Word = G.is64() ? 8 : 4;
  uint64_t Left = T.At == Thread::Never ? 0
                  : T.At > W.now()      ? T.At - W.now()
                                        : 1000;
  std::string Before;
  for (uint64_t V : {T.Interval, Left})
    for (uint64_t Part : {V / 1000000000, V % 1000000000 / 1000})
      Before.append(reinterpret_cast<const char *>(&Part), Word);
  if (IsSet) {
    bool Ok = true;
    uint64_t Values[4] = {};
    for (unsigned K = 0; K < 4 && arg(1); ++K)
      Values[K] = word(arg(1) + K * Word, Word, Ok);
    if (!Ok)
      return -EFAULT;
    if (Values[1] >= 1000000 || Values[3] >= 1000000)
      return -EINVAL;
    constexpr uint64_t Most = 1ull << 32; // seconds
    T.Interval = std::min(Values[0], Most) * 1000000000 + Values[1] * 1000;
    uint64_t Time = std::min(Values[2], Most) * 1000000000 + Values[3] * 1000;
    T.At = Time ? W.after(Time) : Thread::Never;
    T.Signal = Signals[arg(0)];
  }
  uint64_t To = arg(IsSet ? 2 : 1);
  return To ? store(To, Before) : 0;
}

void LinuxCalls::checkTimer() {
  for (size_t K = 0; K < Timers.size(); ++K) {
    SignalTimer &T = Timers[K];
    if (T.At > W.now())
      continue;
    SignalInfo Info;
    if (K < OfSetTimer) {
      T.At = T.Interval ? W.now() + T.Interval : Thread::Never;
      Info.Code = ByKernel;
      send(T.Signal, nullptr, Info);
      continue;
    }
    uint64_t More = T.Interval ? (W.now() - T.At) / T.Interval : 0;
    T.At = T.Interval ? T.At + (More + 1) * T.Interval : Thread::Never;
    if (T.IsSilent)
      continue;
    // One of its signals is on its way at a time; the others are counted.
    Info.Code = ByTimer;
    Info.Timer = unsigned(K - OfSetTimer);
    Info.Value = T.Value;
    Thread *To = T.ThreadId ? find(T.ThreadId) : nullptr;
    if (T.ThreadId && !To)
      continue;
    auto &List = To ? To->Pending : Pending;
    bool OnItsWay = llvm::any_of(List, [&](const SignalInfo &I) {
      return I.Code == ByTimer && I.Timer == Info.Timer;
    });
    T.Overrun += unsigned(More) + OnItsWay;
    if (!OnItsWay)
      send(T.Signal, To, Info);
  }
}

/// A signal of a timer has come: it says how many more there were.
void LinuxCalls::noteTimer(SignalInfo &I) {
  if (I.Code != ByTimer || I.Timer + OfSetTimer >= Timers.size())
    return;
  SignalTimer &T = Timers[I.Timer + OfSetTimer];
  I.Overrun = T.LastOverrun = T.Overrun;
  T.Overrun = 0;
}

int64_t LinuxCalls::performTimer(Call What) {
  if (What == Call::TimerMake)
    return makeTimer();
  uint64_t K = uint32_t(arg(0)) + OfSetTimer;
  if (K >= Timers.size() || !Timers[K].IsThere)
    return -EINVAL;
  SignalTimer &T = Timers[K];
  switch (What) {
  case Call::TimerDelete:
    T = SignalTimer();
    T.IsThere = false;
    return 0;
  case Call::TimerOverrun:
    return T.LastOverrun;
  case Call::TimerGet:
  case Call::TimerGetWide:
    return putTimer(arg(1), G.is64() || What == Call::TimerGetWide, T.At,
                    T.Interval);
  default:
    break;
  }
  constexpr uint64_t IsAbsolute = 1;
  bool Wide = G.is64() || What == Call::TimerSetWide;
  uint64_t Interval = 0, Time = 0;
  if (int64_t E = timerValues(arg(2), Wide, Interval, Time))
    return E;
  if (arg(3))
    if (int64_t E = putTimer(arg(3), Wide, T.At, T.Interval))
      return E;
  T.Interval = Interval;
  T.At = timerStart(Time, arg(1) & IsAbsolute, T.IsRealTime);
  T.Overrun = 0;
  return 0;
}

/// timer_create: struct sigevent says what the timer does.
int64_t LinuxCalls::makeTimer() {
  enum { SendSignal, Nothing, StartThread, ToThread = 4 };
  constexpr size_t Most = 1000;
  unsigned Word = G.is64() ? 8 : 4;
  bool Ok = true;
  auto Free = std::find_if(Timers.begin() + OfSetTimer, Timers.end(),
                           [](const SignalTimer &T) { return !T.IsThere; });
  size_t Id = Free - Timers.begin() - OfSetTimer;
  if (Id == Most)
    return -EAGAIN;
  SignalTimer T;
  T.IsRealTime = arg(0) == 0; // CLOCK_REALTIME
  T.Signal = Alarm;
  T.Value = Id;
  if (uint64_t At = arg(1)) {
    T.Value = word(At, Word, Ok);
    T.Signal = word(At + Word, 4, Ok);
    uint64_t Notify = word(At + Word + 4, 4, Ok);
    if (!Ok)
      return -EFAULT;
    T.IsSilent = Notify == Nothing;
    if (Notify == ToThread)
      T.ThreadId = word(At + Word + 8, 4, Ok);
    if (Notify == StartThread || (Notify > StartThread && Notify != ToThread) ||
        (T.ThreadId && !find(T.ThreadId)) ||
        (!T.IsSilent && (!T.Signal || T.Signal >= Actions.size())))
      return -EINVAL;
  }
  const uint32_t Number = uint32_t(Id);
  if (int64_t E =
          store(arg(2), StringRef(reinterpret_cast<const char *>(&Number), 4)))
    return E;
  if (Free == Timers.end())
    Timers.push_back(T);
  else
    *Free = T;
  return 0;
}

int64_t LinuxCalls::timerValues(uint64_t Addr, bool Wide, uint64_t &Interval,
                                uint64_t &Time) const {
  int64_t Every = duration(Addr, Wide),
          First = duration(Addr + (Wide ? 16 : 8), Wide);
  if (Every < 0 || First < 0)
    return Every < 0 ? Every : First;
  Interval = Every;
  Time = First;
  return 0;
}

uint64_t LinuxCalls::timerStart(uint64_t Time, bool IsAbsolute,
                                bool IsRealTime) const {
  if (!Time)
    return Thread::Never;
  if (!IsAbsolute)
    return W.after(Time);
  return IsRealTime ? Time - std::min(Time, World::Epoch * 1000000000) : Time;
}

int64_t LinuxCalls::putTimer(uint64_t To, bool Wide, uint64_t At,
                             uint64_t Interval) {
  uint64_t Left = At == Thread::Never ? 0 : At > W.now() ? At - W.now() : 1;
  std::string Bytes;
  for (uint64_t V : {Interval, Left})
    for (uint64_t Part : {V / 1000000000, V % 1000000000})
      Bytes.append(reinterpret_cast<const char *>(&Part), Wide ? 8 : 4);
  return store(To, Bytes);
}
