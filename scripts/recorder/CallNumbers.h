//===- CallNumbers.h - The system calls that the recorder does ---*- C++
//-*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_CALLNUMBERS_H
#define REWIND_RECORDER_CALLNUMBERS_H

#include "scripts/recorder/LinuxCalls.h"

namespace rw::record {

/// Calls that differ in their arguments only share a name here.
enum class LinuxCalls::Call : uint8_t {
  Unknown,
  // Files
  Read,
  Write,
  ReadV,
  WriteV,
  ReadAt,
  Open,
  OpenAt,
  Close,
  Seek,
  SeekWide,
  Access,
  AccessAt,
  ReadLink,
  ReadLinkAt,
  StatOpen,
  Stat,
  StatLink,
  StatAt,
  StatX,
  ListFolder,
  CurrentFolder,
  ChangeFolder,
  ChangeFolderOpen,
  Duplicate,
  DuplicateTo,
  FileControl,
  Ioctl,
  Poll,
  PollTime,
  PollTimeWide,
  SelectTime,
  SelectTimeWide,
  ChangeAt, ///< would change a file that the second argument names
  Change,   ///< the first
  MakeLink,
  MakeLinkAt,
  ChangeOpen,
  Sync,
  LastOfFiles = Sync,
  // Memory
  Brk,
  Map,
  MapPages,
  Unmap,
  Remap,
  Protect,
  Advise,
  // Threads
  Clone,
  Fork,
  Execute,
  Futex,
  FutexWide,
  Yield,
  NanoSleep,
  ClockSleep,
  ClockSleepWide,
  SetTidAddress,
  ExitThread,
  ThreadId,
  WaitChild,
  SetTls,
  Affinity,
  LastOfThreads = Affinity,
  // Signals
  SetAction,
  SetMask,
  PendingSignals,
  SetAltStack,
  Suspend,
  Pause,
  AwaitSignal,
  AwaitSignalWide,
  Kill,
  ThreadKill,
  ThreadKillOld,
  QueueSignal,
  SignalReturn,
  SignalReturnOld,
  SetTimer,
  GetTimer,
  LastOfSignals = GetTimer,
  // What else there is
  ExitAll,
  Name,
  Info,
  Random,
  ClockGet,
  ClockGetWide,
  ClockRes,
  ClockResWide,
  TimeOfDay,
  Usage,
  Times,
  Limits,
  LimitsOld,
  ProcessId,
  UserId,
  SetUser,
  FileMask,
  CpuNumber,
  Nothing,
  NotThere,
};

} // namespace rw::record

#endif // REWIND_RECORDER_CALLNUMBERS_H
