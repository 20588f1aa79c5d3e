//===- AddressSpace.cpp - What of memory a Linux program has --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/AddressSpace.h"

using namespace rw::record;

AddressSpace::AddressSpace(Guest &G)
    : G(G), Low(G.is64() ? 0x1000000000 : 0x60000000),
      Next(G.is64() ? 0x7f00000000 : 0x60000000),
      High(G.is64() ? 0x7ff0000000 : 0xb0000000) {}

void AddressSpace::note(uint64_t Addr, uint64_t Size, uint32_t Prot) {
  All[Addr] = {Addr + Size, Prot, true};
}

void AddressSpace::cut(uint64_t Addr) {
  auto It = All.lower_bound(Addr);
  if (It == All.begin())
    return;
  --It;
  if (It->second.End <= Addr)
    return;
  Mapping Rest = It->second;
  It->second.End = Addr;
  All[Addr] = Rest;
}

AddressSpace::Mappings::const_iterator
AddressSpace::behind(uint64_t Addr) const {
  auto It = All.upper_bound(Addr);
  if (It != All.begin() && std::prev(It)->second.End > Addr)
    --It;
  return It;
}

bool AddressSpace::isMapped(uint64_t Addr) const { return !isFree(Addr, 1); }

bool AddressSpace::isWritable(uint64_t Addr, uint64_t Size) const {
  uint64_t At = Addr, End = Addr + Size;
  if (End < Addr)
    return false;
  for (auto It = behind(At); At < End; ++It) {
    if (It == All.end() || It->first > At || !(It->second.Prot & UC_PROT_WRITE))
      return false;
    At = It->second.End;
  }
  return true;
}

std::optional<uint32_t> AddressSpace::rights(uint64_t Addr,
                                             uint64_t Size) const {
  std::optional<uint32_t> Prot;
  uint64_t At = Addr;
  for (auto It = behind(At); At < Addr + Size; ++It) {
    if (It == All.end() || It->first > At || (Prot && *Prot != It->second.Prot))
      return std::nullopt;
    Prot = It->second.Prot;
    At = It->second.End;
  }
  return Prot;
}

bool AddressSpace::isFree(uint64_t Addr, uint64_t Size) const {
  auto It = behind(Addr);
  return It == All.end() || It->first >= Addr + Size;
}

bool AddressSpace::unmap(uint64_t Addr, uint64_t Size) {
  cut(Addr);
  cut(Addr + Size);
  for (auto It = All.lower_bound(Addr);
       It != All.end() && It->first < Addr + Size;) {
    if (It->second.InGuest &&
        !G.memory().unmap(It->first, It->second.End - It->first))
      return false;
    It = All.erase(It);
  }
  return true;
}

bool AddressSpace::map(uint64_t Addr, uint64_t Size, uint32_t Prot) {
  if (!unmap(Addr, Size))
    return false;
  if (Prot && !G.memory().map(Addr, Size, Prot))
    return false;
  All[Addr] = {Addr + Size, Prot, Prot != 0};
  return true;
}

uint64_t AddressSpace::mapAnywhere(uint64_t Size, uint32_t Prot) {
  if (Size > High - Low)
    return 0;
  uint64_t At = Next;
  // A program mostly gets fresh addresses, so that what the trace said of old
  // memory is not mixed up with new memory; when there are no more, it gets
  // what it gave back.
  if (Size > High - At || !isFree(At, Size)) {
    At = Low;
    for (auto It = behind(At); It != All.end() && It->first < At + Size; ++It)
      At = std::max(At, It->second.End);
    if (At > High || Size > High - At)
      return 0;
  } else {
    Next = At + Size;
  }
  return map(At, Size, Prot) ? At : 0;
}

bool AddressSpace::protect(uint64_t Addr, uint64_t Size, uint32_t Prot,
                           const RangeHook &Appeared) {
  cut(Addr);
  cut(Addr + Size);
  uint64_t At = Addr;
  for (auto It = All.lower_bound(Addr); At < Addr + Size; ++It) {
    if (It == All.end() || It->first != At)
      return false;
    Mapping &M = It->second;
    if (M.InGuest && M.Prot != Prot) {
      if (!G.memory().protect(At, M.End - At, Prot))
        return false;
    } else if (!M.InGuest && Prot) {
      if (!G.memory().map(At, M.End - At, Prot))
        return false;
      M.InGuest = true;
      Appeared(At, M.End - At);
    }
    M.Prot = Prot;
    At = M.End;
  }
  return true;
}

void AddressSpace::clear(uint64_t Addr, uint64_t Size) {
  cut(Addr);
  cut(Addr + Size);
  for (auto It = All.lower_bound(Addr);
       It != All.end() && It->first < Addr + Size; ++It) {
    Mapping &M = It->second;
    uint64_t Length = M.End - It->first;
    if (!M.InGuest || !(M.Prot & UC_PROT_WRITE))
      continue;
    G.memory().unmap(It->first, Length);
    M.InGuest = G.memory().map(It->first, Length, M.Prot);
  }
}
