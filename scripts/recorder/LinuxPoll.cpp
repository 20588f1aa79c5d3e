//===- LinuxPoll.cpp - System calls that wait for files
//--------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/CallNumbers.h"
#include "scripts/recorder/GuestFiles.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>

using namespace llvm;
using namespace rw::record;

/// The events that would be there: a file is always ready.
uint64_t LinuxCalls::readiness(const OpenFile *F) const {
  constexpr uint64_t In = 1, Out = 4;
  uint64_t Mode = F->Flags & AccessMode;
  return (Mode != O_WRONLY ? In : 0) | (Mode != O_RDONLY ? Out : 0);
}

/// ppoll and pselect have other signals blocked while they wait.
int64_t LinuxCalls::setMaskOfWait(bool IsPoll) {
  unsigned Word = G.is64() ? 8 : 4;
  bool Ok = true;
  uint64_t At = arg(IsPoll ? 3 : 5), Size = arg(4);
  if (At && !IsPoll) {
    Size = word(At + Word, Word, Ok);
    At = word(At, Word, Ok);
  }
  if (!Ok)
    return -EFAULT;
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
  constexpr uint16_t Invalid = 0x20;
  uint64_t Count = arg(1);
  if (Count > uint64_t(OpenFiles::Max))
    return -EINVAL;
  std::string Bytes(Count * 8, '\0');
  if (Count && !G.readMemory(arg(0), Bytes.data(), Bytes.size()))
    return -EFAULT;
  int64_t Ready = 0;
  for (uint64_t K = 0; K < Count; ++K) {
    int32_t Fd;
    uint16_t Events;
    memcpy(&Fd, Bytes.data() + 8 * K, 4);
    memcpy(&Events, Bytes.data() + 8 * K + 4, 2);
    auto F = Fd < 0 ? nullptr : Files.get(Fd);
    uint16_t Found = Fd < 0 ? 0 : F ? Events & readiness(F.get()) : Invalid;
    putField(Bytes, 8 * K + 6, Found);
    Ready += Found != 0;
  }
  if (!Ready && Until > W.now()) {
    Current->RemainderAddr = 0;
    Current->WaitsFor = Thread::Sleep;
    wait(Until, 0);
    return 0;
  }
  int64_t E = Count ? store(arg(0), Bytes) : 0;
  return E ? E : Ready;
}

int64_t LinuxCalls::select(uint64_t Until) {
  uint64_t Count = std::min<uint64_t>(arg(0), OpenFiles::Max);
  unsigned Size = (Count + 63) / 64 * 8;
  int64_t Ready = 0;
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
      bool Is = K < 2 && (readiness(F.get()) & (K ? 4 : 1));
      Ready += Is;
      if (!Is)
        Byte &= char(~Bit);
    }
  }
  if (!Ready && Until > W.now()) {
    Current->RemainderAddr = 0;
    Current->WaitsFor = Thread::Sleep;
    wait(Until, 0);
    return 0;
  }
  for (unsigned K = 0; K < 3; ++K)
    if (!Sets[K].empty())
      if (int64_t E = store(arg(1 + K), Sets[K]))
        return E;
  return Ready;
}
