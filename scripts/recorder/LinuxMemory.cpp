//===- LinuxMemory.cpp - Linux system calls that manage memory ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/LinuxCalls.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace rw::record;

static constexpr uint32_t Rights = 7;

int64_t LinuxCalls::setBreak(uint64_t To) {
  uint64_t Room = G.is64() ? 1ull << 32 : 1ull << 28;
  if (To < BreakStart || To > BreakStart + Room)
    return Break;
  uint64_t End = Guest::pageUp(To);
  if (End > BreakMapped) {
    if (!Memory.isFree(BreakMapped, End - BreakMapped) ||
        !Memory.map(BreakMapped, End - BreakMapped,
                    UC_PROT_READ | UC_PROT_WRITE))
      return Break;
  } else if (End < BreakMapped) {
    // What is taken again will be zero.
    unmap(End, BreakMapped - End);
  }
  BreakMapped = End;
  return Break = To;
}

static size_t copyPart(StringRef From, uint64_t At, size_t Size,
                       std::string &To) {
  StringRef Part = From.substr(At, Size);
  memcpy(To.data(), Part.data(), Part.size());
  return Part.size();
}

int64_t LinuxCalls::map(uint64_t Hint, uint64_t Size, uint32_t Prot,
                        uint32_t Flags, uint64_t Fd, uint64_t Offset) {
  constexpr uint32_t Shared = 1, Fixed = 0x10, Anonymous = 0x20,
                     KeepOthers = 0x100000;
  std::shared_ptr<OpenFile> File;
  if (!(Flags & Anonymous)) {
    File = Files.get(uint32_t(Fd));
    if (!File)
      return -EBADF;
    if (File->Is == OpenFile::Zero)
      File = nullptr;
    else if (File->Is != OpenFile::Memory &&
             (File->Is != OpenFile::File || File->Fd.get() < 0))
      return -ENODEV;
    else if ((Flags & 3) == Shared && (Prot & UC_PROT_WRITE))
      return refuse("'" + File->Path + "' to be mapped and written", EACCES);
    if (Offset % Guest::PageSize)
      return -EINVAL;
  }
  uint64_t Top = G.is64() ? 1ull << 48 : 1ull << 32;
  if (!Size || Size > Top)
    return Size ? -ENOMEM : -EINVAL;
  Size = Guest::pageUp(Size);
  uint64_t At = Hint;
  if (Flags & (Fixed | KeepOthers)) {
    if (At % Guest::PageSize || !At || At > Top - Size)
      return -EINVAL;
    if ((Flags & KeepOthers) && !Memory.isFree(At, Size))
      return -EEXIST;
    Forget(At, Size);
    if (!Memory.map(At, Size, Prot & Rights))
      return -ENOMEM;
  } else {
    At = Memory.mapAnywhere(Size, Prot & Rights);
    if (!At)
      return -ENOMEM;
    Forget(At, Size);
  }
  if (!File)
    return At;
  // As what the program's own file has in memory, this is not in the trace
  // until it is read.
  std::string Bytes(64 << 10, '\0');
  if (!(Prot & Rights))
    Memory.protect(At, Size, UC_PROT_READ);
  for (uint64_t Done = 0; Done < Size;) {
    size_t Part = std::min<uint64_t>(Bytes.size(), Size - Done);
    ssize_t N = File->Is == OpenFile::Memory
                    ? copyPart(File->Held->Bytes, Offset + Done, Part, Bytes)
                    : pread(File->Fd.get(), Bytes.data(), Part, Offset + Done);
    if (N <= 0)
      break;
    G.writeMemory(At + Done, Bytes.data(), N);
    Done += N;
  }
  if (!(Prot & Rights))
    Memory.protect(At, Size, 0);
  return At;
}

int64_t LinuxCalls::unmap(uint64_t Addr, uint64_t Size) {
  if (Addr % Guest::PageSize || !Size || Addr + Size < Addr)
    return -EINVAL;
  Size = Guest::pageUp(Size);
  Memory.unmap(Addr, Size);
  Forget(Addr, Size);
  return 0;
}

int64_t LinuxCalls::remap(uint64_t Old, uint64_t OldSize, uint64_t NewSize,
                          uint64_t Flags) {
  constexpr uint64_t MayMove = 1;
  if (Old % Guest::PageSize || !NewSize || (Flags & ~MayMove))
    return -EINVAL;
  OldSize = Guest::pageUp(OldSize);
  NewSize = Guest::pageUp(NewSize);
  if (NewSize <= OldSize) {
    if (NewSize < OldSize)
      unmap(Old + NewSize, OldSize - NewSize);
    return Old;
  }
  if (!(Flags & MayMove))
    return -ENOMEM;
  if (OldSize > 1ull << 32)
    return -ENOMEM;
  std::string Bytes(OldSize, '\0');
  if (!G.readMemory(Old, Bytes.data(), Bytes.size()))
    return -EFAULT;
  uint64_t New = Memory.mapAnywhere(NewSize, UC_PROT_READ | UC_PROT_WRITE);
  if (!New)
    return -ENOMEM;
  Forget(New, NewSize);
  // More than the trace may have as effects of one instruction shows when it is
  // read.
  if (OldSize <= MaxTransfer)
    store(New, Bytes);
  else
    G.writeMemory(New, Bytes.data(), Bytes.size());
  unmap(Old, OldSize);
  return New;
}

int64_t LinuxCalls::advise(uint64_t Addr, uint64_t Size, uint64_t Advice) {
  constexpr uint64_t DontNeed = 4;
  if (Addr % Guest::PageSize || Addr + Size < Addr)
    return -EINVAL;
  if (Advice == DontNeed && Size) {
    Memory.clear(Addr, Guest::pageUp(Size));
    Forget(Addr, Guest::pageUp(Size));
  }
  return 0;
}
