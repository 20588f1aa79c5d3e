//===- LinuxMemory.cpp - Linux system calls that manage memory ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Services.h"
#include <cerrno>

using namespace llvm;
using namespace rw::record;

int64_t LinuxCalls::setBreak(uint64_t To) {
  uint64_t Room = G.is64() ? 1ull << 32 : 1ull << 28;
  if (To < BreakStart || To > BreakStart + Room)
    return Break;
  uint64_t End = Guest::pageUp(To);
  if (End > BreakMapped) {
    if (!G.mapMemory(BreakMapped, End - BreakMapped,
                     UC_PROT_READ | UC_PROT_WRITE))
      return Break;
    BreakMapped = End;
  }
  return Break = To;
}

int64_t LinuxCalls::map(uint64_t Hint, uint64_t Size, uint32_t Prot,
                        uint32_t Flags, uint64_t) {
  constexpr uint32_t Fixed = 0x10, Anonymous = 0x20;
  if (!(Flags & Anonymous))
    return -EBADF; // there are no files
  if (!Size)
    return -EINVAL;
  Size = Guest::pageUp(Size);
  uint64_t End = G.is64() ? 0x7ff0000000 : 0xb0000000;
  if (Size > End - NextMap)
    return -ENOMEM;
  uint64_t At = NextMap;
  if (Flags & Fixed) {
    At = Hint;
    G.unmapMemory(At, Size);
  } else {
    NextMap += Size;
  }
  return G.mapMemory(At, Size, Prot & 7) ? int64_t(At) : -ENOMEM;
}

int64_t LinuxCalls::unmap(uint64_t Addr, uint64_t Size) {
  if (Addr % Guest::PageSize || !Size)
    return -EINVAL;
  G.unmapMemory(Addr, Guest::pageUp(Size));
  return 0;
}

int64_t LinuxCalls::remap(uint64_t Old, uint64_t OldSize, uint64_t NewSize,
                          uint64_t Flags) {
  constexpr uint64_t MayMove = 1;
  OldSize = Guest::pageUp(OldSize);
  NewSize = Guest::pageUp(NewSize);
  if (NewSize <= OldSize) {
    if (NewSize < OldSize)
      unmap(Old + NewSize, OldSize - NewSize);
    return Old;
  }
  if (!(Flags & MayMove))
    return -ENOMEM;
  std::string Bytes(OldSize, '\0');
  if (!G.readMemory(Old, Bytes.data(), Bytes.size()))
    return -EFAULT;
  constexpr uint32_t Anonymous = 0x20;
  int64_t New = map(0, NewSize, UC_PROT_READ | UC_PROT_WRITE, Anonymous, 0);
  if (New < 0 && New > -4096)
    return New;
  store(New, Bytes);
  unmap(Old, OldSize);
  return New;
}
