//===- GuestMemory.cpp - The memory of the emulated CPU -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/GuestMemory.h"
#include <algorithm>
#include <sys/mman.h>
#include <vector>

using namespace rw::record;

/// Blocks begin and end at multiples of this. The emulator takes time for each
/// page of a region that is told anew, so that they should not be large,
/// either.
static constexpr uint64_t BlockSize = 16 << 20;

GuestMemory::~GuestMemory() {
  for (auto &[First, B] : Blocks)
    munmap(B->Bytes, B->Last - B->First + 1);
}

/// The block around \p Addr; if there is none, a new one that goes to \p Last,
/// or to where there is one. Null if the host has no memory.
const GuestMemory::Block *GuestMemory::blockAt(uint64_t Addr, uint64_t Last) {
  auto It = Blocks.upper_bound(Addr);
  if (It != Blocks.begin() && std::prev(It)->second->Last >= Addr)
    return std::prev(It)->second.get();
  const uint64_t First = Addr & ~(BlockSize - 1);
  uint64_t End = Last | (BlockSize - 1);
  if (It != Blocks.end())
    End = std::min(End, It->first - 1);
  void *Bytes = mmap(nullptr, End - First + 1, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Bytes == MAP_FAILED)
    return nullptr;
  auto &B = Blocks[First];
  B = std::make_unique<Block>(Block{First, End, static_cast<uint8_t *>(Bytes)});
  return B.get();
}

/// The first region that ends at \p Addr or behind it.
GuestMemory::Regions::iterator GuestMemory::endingFrom(uint64_t Addr) {
  auto It = All.lower_bound(Addr);
  if (It != All.begin() && std::prev(It)->second.Last >= Addr)
    --It;
  return It;
}

/// As set(), inside of a block.
bool GuestMemory::setIn(const Block &In, uint64_t First, uint64_t Last,
                        std::optional<uint32_t> Prot, bool MayJoin) {
  auto Begin = endingFrom(First);
  auto Joins = [&](Regions::iterator It) {
    return MayJoin && Prot && It->second.In == &In && It->second.Prot == *Prot;
  };
  if (Begin != All.begin() && std::prev(Begin)->second.Last == First - 1 &&
      Joins(std::prev(Begin)))
    --Begin;
  auto End = All.upper_bound(Last);
  if (End != All.end() && End->first == Last + 1 && Joins(End))
    ++End;
  if (Prot && Begin != End && std::next(Begin) == End &&
      Begin->first == First && Begin->second.Last == Last) {
    Begin->second.Prot = *Prot;
    return uc_mem_protect(Engine, First, Last - First + 1, *Prot) == UC_ERR_OK;
  }

  // What there will be instead, in order.
  std::vector<std::pair<uint64_t, Region>> New;
  auto Add = [&](uint64_t From, uint64_t To, uint32_t Its) {
    if (!New.empty() && New.back().second.Prot == Its &&
        New.back().second.Last + 1 == From)
      New.back().second.Last = To;
    else
      New.push_back({From, {To, Its, &In}});
  };
  size_t Old = 0;
  for (auto It = Begin; It != End && It->first < First; ++It)
    Add(It->first, std::min(It->second.Last, First - 1), It->second.Prot);
  if (Prot)
    Add(First, Last, *Prot);
  for (auto It = Begin; It != End; ++It, ++Old)
    if (It->second.Last > Last)
      Add(std::max(It->first, Last + 1), It->second.Last, It->second.Prot);
  if (New.size() > Old && All.size() - Old + New.size() > MostRegions)
    return !(Full = true);

  for (auto It = Begin; It != End; It = All.erase(It)) {
    const uint64_t Size = It->second.Last - It->first + 1;
    // It would keep what it has translated, and not see that it is written.
    if (It->second.Prot & UC_PROT_EXEC)
      uc_ctl_remove_cache(Engine, It->first, It->second.Last);
    uc_mem_unmap(Engine, It->first, Size);
  }
  if (!Prot)
    madvise(In.at(First), Last - First + 1, MADV_DONTNEED);
  bool Done = true;
  for (const auto &[From, R] : New)
    if (uc_mem_map_ptr(Engine, From, R.Last - From + 1, R.Prot, In.at(From)) ==
        UC_ERR_OK)
      All[From] = R;
    else
      Done = false;
  return Done;
}

/// Gives a range those rights, or takes its memory away. With neighbours that
/// have the same rights it becomes one region.
bool GuestMemory::set(uint64_t First, uint64_t Last,
                      std::optional<uint32_t> Prot, bool MayJoin) {
  for (uint64_t At = First;;) {
    const Block *In = blockAt(At, Last);
    if (!In)
      return false;
    const uint64_t End = std::min(In->Last, Last);
    if (!setIn(*In, At, End, Prot, MayJoin))
      return false;
    if (End == Last)
      return true;
    At = End + 1;
  }
}

bool GuestMemory::map(uint64_t Addr, uint64_t Size, uint32_t Prot) {
  const uint64_t Last = Addr + (Size - 1);
  if (set(Addr, Last, Prot))
    return true;
  unmap(Addr, Size);
  return false;
}

bool GuestMemory::unmap(uint64_t Addr, uint64_t Size) {
  return set(Addr, Addr + (Size - 1), std::nullopt);
}

bool GuestMemory::protect(uint64_t Addr, uint64_t Size, uint32_t Prot) {
  return set(Addr, Addr + (Size - 1), Prot);
}

bool GuestMemory::mapMissing(uint64_t Addr, uint64_t Size) {
  const uint64_t Touched = std::max(Addr, Addr + (Size - 1));
  const uint64_t Last = Touched | (BlockSize - 1);
  bool Mapped = false;
  for (uint64_t At = Addr & ~(BlockSize - 1);;) {
    const auto It = endingFrom(At);
    const bool Is = It != All.end() && It->first <= At;
    const uint64_t End = Is                ? std::min(It->second.Last, Last)
                         : It == All.end() ? Last
                                           : std::min(It->first - 1, Last);
    if (!Is && set(At, End, UC_PROT_ALL, /*MayJoin=*/false))
      Mapped |= At <= Touched && End >= Addr;
    if (End == Last)
      return Mapped;
    At = End + 1;
  }
}
