//===- GranuleList.h - The accesses to one granule --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In each segment, a page that was touched has a record:
//
//   u16                number of granules n, bit 15: offsets have 4 bytes
//   u16[n]             ascending: granule in the page, and what occurs (flags)
//   u16[n] or u32[n]   offset of the granule's list, from the end of this array
//   lists
//
// A list tells, per block, whether the granule was read or written there, which
// of its bytes, and what it held after the block:
//
//   varint             number of entries
//   chunk[(n-1)/32]    state before entries 32, 64, ...: u16 block of the entry
//                      before, u32 offset in the entries, u8 written mask, u8
//                      read mask, u8 known mask, u64 value
//   entries            control byte (below) and what it announces
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_GRANULELIST_H
#define REWIND_STORE_GRANULELIST_H

#include "core/support/Coding.h"
#include <cstdint>
#include <optional>

namespace rw::granule {

constexpr unsigned ChunkEntries = 32;
constexpr unsigned ChunkBytes = 17;

// The index of a page record.
constexpr uint16_t WideOffsets = 0x8000;
constexpr uint16_t IndexMask = 0x1ff, IndexRead = 0x4000, IndexWrite = 0x8000;

// The control byte of an entry. Neither read nor written: a second byte with
// these two bits and ExtKnown follows.
constexpr uint8_t HasRead = 1, HasWrite = 2;
constexpr uint8_t HasMasks = 4; ///< masks follow (read, then written)
// If it was written, a varint follows the masks: the last instruction that did.
constexpr uint8_t HasValue = 8; ///< mask of changed bytes and these follow
constexpr unsigned DeltaShift = 4;
constexpr unsigned LongDelta = 15; ///< the rest of the block delta follows
constexpr uint8_t ExtKnown = 4;    ///< a new mask of known bytes follows

/// An entry as read.
struct Entry {
  unsigned Block = 0;
  uint64_t Value = 0; ///< after the block
  uint8_t Known = 0;  ///< after the block
  uint8_t Written = 0, Read = 0;
  uint8_t Changed = 0;    ///< bytes whose value is told, as it may have changed
  unsigned LastWrite = 0; ///< instruction in the block that wrote last
};

/// Reads a list in the bytes [Begin, End).
class List {
public:
  List(const uint8_t *Begin, const uint8_t *End);
  /// The last entry of a block <= \p Block that satisfies \p Accept, or none.
  template <typename F>
  std::optional<Entry> last(unsigned Block, F Accept) const {
    for (unsigned C = chunkBefore(Block) + 1; C-- > 0;) {
      std::optional<Entry> Found;
      forChunk(C, [&](const Entry &E) {
        if (E.Block > Block)
          return false;
        if (Accept(E))
          Found = E;
        return true;
      });
      if (Found || !Count)
        return Found;
    }
    return std::nullopt;
  }
  /// The first entry of a block >= \p Block that satisfies \p Accept, or none.
  template <typename F>
  std::optional<Entry> first(unsigned Block, F Accept) const {
    std::optional<Entry> Found;
    for (unsigned C = chunkBefore(Block); C < NumChunks && !Found; ++C)
      forChunk(C, [&](const Entry &E) {
        if (E.Block >= Block && Accept(E))
          Found = E;
        return !Found;
      });
    return Found;
  }
  bool damaged() const { return Damaged; }

private:
  struct State {
    Entry E;
    uint8_t LastWritten = 0xff, LastRead = 0xff;
    uint32_t Offset = 0;
  };
  State chunk(unsigned C) const;
  /// The last chunk that may hold entries of blocks <= \p Block.
  unsigned chunkBefore(unsigned Block) const;
  bool read(ByteReader &In, State &S, bool First) const;
  template <typename F> void forChunk(unsigned C, F Visit) const {
    State S = chunk(C);
    ByteReader In(Entries, End);
    In.skip(S.Offset);
    unsigned N = C * ChunkEntries;
    for (unsigned I = N; I < N + ChunkEntries && I < Count; ++I)
      if (!read(In, S, I == 0) || !Visit(S.E))
        return;
  }

  const uint8_t *Chunks = nullptr, *Entries = nullptr, *End = nullptr;
  unsigned Count = 0, NumChunks = 0;
  bool Damaged = false;
};

} // namespace rw::granule

#endif // REWIND_STORE_GRANULELIST_H
