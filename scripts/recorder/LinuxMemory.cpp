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

int64_t LinuxCalls::noRoom() {
  if (!G.memory().isFull())
    return -ENOMEM;
  return refuse("more than " + std::to_string(GuestMemory::MostRegions) +
                    " regions of memory with different rights",
                ENOMEM);
}

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
    replaced(BreakMapped, End - BreakMapped);
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
    replaced(At, Size);
    if (!Memory.map(At, Size, Prot & Rights))
      return noRoom();
  } else {
    At = Memory.mapAnywhere(Size, Prot & Rights);
    if (!At)
      return noRoom();
    replaced(At, Size);
  }
  if (!File)
    return At;
  // As what the program's own file has in memory, this is not in the trace
  // until it is read, where the trace knows nothing else of its place.
  std::string Bytes(64 << 10, '\0');
  if (!(Prot & Rights))
    protect(At, Size, UC_PROT_READ);
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
    protect(At, Size, 0);
  return At;
}

int64_t LinuxCalls::unmap(uint64_t Addr, uint64_t Size) {
  if (Addr % Guest::PageSize || !Size || Addr + Size < Addr)
    return -EINVAL;
  Size = Guest::pageUp(Size);
  const bool Done = Memory.unmap(Addr, Size);
  replaced(Addr, Size);
  return Done ? 0 : noRoom();
}

int64_t LinuxCalls::protect(uint64_t Addr, uint64_t Size, uint32_t Prot) {
  if (Addr % Guest::PageSize || Addr + Size < Addr)
    return -EINVAL;
  auto Appeared = [this](uint64_t At, uint64_t N) { replaced(At, N); };
  return Memory.protect(Addr, Guest::pageUp(Size), Prot & Rights, Appeared)
             ? 0
             : noRoom();
}

int64_t LinuxCalls::remap(uint64_t Old, uint64_t OldSize, uint64_t NewSize,
                          uint64_t Flags, uint64_t NewAddr) {
  constexpr uint64_t MayMove = 1, Fixed = 2, KeepOld = 4;
  if (Flags & KeepOld)
    return refuse("mremap that leaves the old mapping", EINVAL);
  if (Old % Guest::PageSize || !OldSize || !NewSize ||
      (Flags & ~(MayMove | Fixed)) || Flags == Fixed)
    return -EINVAL;
  OldSize = Guest::pageUp(OldSize);
  NewSize = Guest::pageUp(NewSize);
  if (Flags & Fixed) {
    uint64_t Top = G.is64() ? 1ull << 48 : 1ull << 32;
    if (NewAddr % Guest::PageSize || !NewAddr || NewSize > Top ||
        NewAddr > Top - NewSize ||
        (NewAddr < Old + OldSize && Old < NewAddr + NewSize))
      return -EINVAL;
  } else if (NewSize <= OldSize) {
    if (NewSize < OldSize)
      unmap(Old + NewSize, OldSize - NewSize);
    return Old;
  }
  if (!(Flags & MayMove) || OldSize > 1ull << 32)
    return -ENOMEM;
  const uint64_t Moved = std::min(OldSize, NewSize);
  std::optional<uint32_t> Prot = Memory.rights(Old, OldSize);
  if (!Prot)
    return -EFAULT;
  std::string Bytes(Moved, '\0');
  // Memory that never had rights is not in the emulator.
  const bool HasBytes = G.readMemory(Old, Bytes.data(), Moved);
  if (*Prot && !HasBytes)
    return -EFAULT;
  uint64_t New = NewAddr;
  if (!(Flags & Fixed))
    New = Memory.mapAnywhere(NewSize, *Prot);
  else if (!Memory.map(New, NewSize, *Prot))
    New = 0;
  if (!New)
    return noRoom();
  // More than the trace may have as effects of one instruction shows when it is
  // read, where the trace knows nothing else of its place.
  const bool Tell = HasBytes && *Prot && Moved <= MaxTransfer;
  if (HasBytes) {
    if (!*Prot)
      protect(New, NewSize, UC_PROT_READ);
    G.writeMemory(New, Bytes.data(), Moved);
    if (!*Prot)
      protect(New, NewSize, 0);
  }
  if (Tell)
    Wrote(New, Bytes);
  replaced(New + (Tell ? Moved : 0), NewSize - (Tell ? Moved : 0));
  unmap(Old, OldSize);
  return New;
}

int64_t LinuxCalls::advise(uint64_t Addr, uint64_t Size, uint64_t Advice) {
  constexpr uint64_t DontNeed = 4;
  if (Addr % Guest::PageSize || Addr + Size < Addr)
    return -EINVAL;
  if (Advice == DontNeed && Size) {
    Memory.clear(Addr, Guest::pageUp(Size));
    replaced(Addr, Guest::pageUp(Size));
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// What the trace knows of memory that has become another one
//===----------------------------------------------------------------------===//

void LinuxCalls::replaced(uint64_t Addr, uint64_t Size) {
  if (!Size)
    return;
  Forget(Addr, Size);
  Replaced.push_back({Addr, Size});
}

/// At the end of a call: what is now in the pages that the trace has shown is
/// written by the call. Of pages without memory there is nothing to tell.
void LinuxCalls::tellReplaced() {
  std::vector<uint64_t> Pages;
  for (auto [Addr, Size] : Replaced) {
    std::vector<uint64_t> Found = Shown(Addr, Size);
    Pages.insert(Pages.end(), Found.begin(), Found.end());
  }
  Replaced.clear();
  if (Pages.empty())
    return;
  llvm::sort(Pages);
  Pages.erase(std::unique(Pages.begin(), Pages.end()), Pages.end());
  // With what the call itself writes these are not too many effects either.
  constexpr uint64_t Most = MaxTransfer - Guest::PageSize;
  std::string Bytes(Guest::PageSize, '\0');
  uint64_t Told = 0;
  for (uint64_t Page : Pages) {
    if (!G.readMemory(Page, Bytes.data(), Bytes.size()))
      continue;
    if (Told == Most) {
      refuse("more than " + std::to_string(Most >> 10) +
                 " KiB in the trace of memory that one call replaced: the rest "
                 "has its old values there until it is read",
             0);
      break;
    }
    Wrote(Page, Bytes);
    Told += Bytes.size();
  }
}
