//===- Shadow.h - Known memory while building -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SHADOW_H
#define REWIND_STORE_SHADOW_H

#include "core/model/ItemBatch.h"
#include "core/store/BackDates.h"
#include "core/store/Format.h"
#include <memory>
#include <unordered_map>

namespace rw {

/// What happened to one granule in one block.
struct GranuleEntry {
  uint64_t Value; ///< after the block; 0 where not known
  uint32_t Prev;  ///< index of the granule's entry before in this segment
  uint16_t Block;
  uint8_t Written, Read; ///< masks of bytes accessed
  uint8_t Known;         ///< after the block
  uint8_t Contradicted;  ///< by a read: it changed, perhaps there and back
  uint16_t LastWrite;    ///< instruction in the block that wrote last
};
constexpr uint32_t NoEntry = ~0u;

/// An entry where no value is told: a third of the room, which is what counts.
struct AccessEntry {
  uint32_t Prev;
  uint16_t Block;
  uint16_t LastWrite;
  uint8_t Written, Read;
};

/// All entries of a segment, and the last one of each granule touched.
struct SegmentMemory {
  std::vector<GranuleEntry> Entries;
  std::vector<AccessEntry> Accesses; ///< instead, from AccessCollector
  std::vector<std::pair<uint64_t, uint32_t>> Touched; ///< granule, last entry
  std::vector<format::RealPage> Reals; ///< from AccessCollector; with doubles
  void clear() {
    Entries.clear();
    Accesses.clear();
    Touched.clear();
    Reals.clear();
  }
};

/// The memory of the traced program as far as the trace has told it. Memory use
/// is about twice the bytes that the program touched, in whole pages; three
/// times where it writes values that are not told.
class Shadow {
public:
  Shadow();
  ~Shadow();

  /// From now on entries go to \p Out, which must be empty.
  void beginSegment(SegmentMemory *Out);
  /// Applies an access by the instruction \p When, the \p Insn-th of block
  /// \p Block. Whether it told nothing: read what all was known already.
  bool access(const MemItem &M, Moment When, unsigned Block, unsigned Insn);
  /// Fills Touched: call before the segment's memory is handed on.
  void endSegment();

  std::vector<BackDate> takeBackDates() { return std::move(Back); }

private:
  struct Page;
  /// Bytes of a granule that became unknown in the trace, and when.
  struct Unknown {
    uint64_t Since : 55 = 0;
    uint64_t Semihosting : 1 = 0;
    uint64_t Mask : 8 = 0;
  };

  Page &page(uint64_t Number);
  bool granule(uint64_t G, uint64_t Value, uint8_t Bytes, uint8_t Known,
               const MemItem &M, Moment When, unsigned Block, unsigned Insn);
  void written(Page &P, uint64_t G, uint8_t Bytes, uint8_t LostNow,
               const MemItem &M, Moment When);
  void reveal(Page &P, uint64_t G, uint8_t Bytes, uint64_t Value, Moment When);
  void forgetOlder(uint64_t G, uint8_t Bytes);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> Pages;
  static constexpr unsigned CacheSize = 256;
  Page *Cache[CacheSize] = {};
  SegmentMemory *Out = nullptr;
  uint32_t Segment = 0;
  /// Granules whose unknown bytes became so at several moments: all but the
  /// latest, which is with the page.
  std::unordered_map<uint64_t, std::vector<Unknown>> OlderLost;
  std::vector<BackDate> Back;
};

} // namespace rw

#endif // REWIND_STORE_SHADOW_H
