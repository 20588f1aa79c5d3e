//===- GuestMemory.h - The memory of the emulated CPU -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_RECORDER_GUESTMEMORY_H
#define REWIND_RECORDER_GUESTMEMORY_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unicorn/unicorn.h>

namespace rw::record {

/// What the emulator has of memory, in as few regions as can be: it ends the
/// process at 1,024, and each change takes it time for all that there are. It
/// would copy a region to cut it; here the bytes stay where they are in the
/// host's memory, and only the regions are told anew. Addresses and sizes are
/// whole pages; a range may end with the address space.
class GuestMemory {
public:
  /// \p Engine has no memory yet, and must be closed before this ends.
  explicit GuestMemory(uc_engine *Engine) : Engine(Engine) {}
  ~GuestMemory();
  GuestMemory(const GuestMemory &) = delete;
  GuestMemory &operator=(const GuestMemory &) = delete;

  // These are false if the host or the emulator has no room.

  /// A range of which nothing is mapped; it is zero then. All of it, or
  /// nothing.
  bool map(uint64_t Addr, uint64_t Size, uint32_t Prot);
  /// Maps what is not mapped of a range and around it, as RAM that may be
  /// executed, and leaves all regions as they are: the emulator may be running.
  /// False, too, if all of the range was mapped.
  bool mapMissing(uint64_t Addr, uint64_t Size);
  bool unmap(uint64_t Addr, uint64_t Size);
  /// A range that is mapped.
  bool protect(uint64_t Addr, uint64_t Size, uint32_t Prot);
  /// So many regions there are at most, and whether one was refused for that.
  static constexpr size_t MostRegions = 1000;
  bool isFull() const { return Full; }

private:
  /// Some of the host's memory, for addresses from First to Last.
  struct Block {
    uint64_t First, Last;
    uint8_t *Bytes;
    uint8_t *at(uint64_t Addr) const { return Bytes + (Addr - First); }
  };
  /// A region of the emulator's, all in one block.
  struct Region {
    uint64_t Last;
    uint32_t Prot;
    const Block *In;
  };
  using Regions = std::map<uint64_t, Region>; ///< by where they begin

  const Block *blockAt(uint64_t Addr, uint64_t Last);
  Regions::iterator endingFrom(uint64_t Addr);
  bool set(uint64_t First, uint64_t Last, std::optional<uint32_t> Prot,
           bool MayJoin = true);
  bool setIn(const Block &In, uint64_t First, uint64_t Last,
             std::optional<uint32_t> Prot, bool MayJoin);

  uc_engine *const Engine;
  std::map<uint64_t, std::unique_ptr<Block>> Blocks; ///< by where they begin
  Regions All;
  bool Full = false;
};

} // namespace rw::record

#endif // REWIND_RECORDER_GUESTMEMORY_H
