//===- AccessCollector.h - Accesses without values --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_ACCESSCOLLECTOR_H
#define REWIND_STORE_ACCESSCOLLECTOR_H

#include "core/store/RealPages.h"
#include "core/store/Shadow.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace rw {

/// Collects the memory of a segment in which no access tells a value: what was
/// before the segment does not matter then. Some nanoseconds an access.
class AccessCollector {
public:
  /// From now on entries go to \p Out, which must be empty. Keeps its room.
  void begin(SegmentMemory *Out);
  /// By instruction \p Insn of block \p Block.
  void access(const FlowPlace &Place, const format::MemShape &Shape,
              unsigned Block, unsigned Insn) {
    const unsigned Bytes = ((1u << Shape.Size) - 1) << (Place.Addr & 7);
    granule(Place.Addr >> format::GranuleBits, uint8_t(Bytes),
            Shape.HasReal ? Place.Real >> RealPages::PageBits : NoReal,
            Shape.Flags, Block, Insn);
    if (LLVM_UNLIKELY(Bytes >> 8))
      secondGranule(Place, Shape, uint8_t(Bytes >> 8), Block, Insn);
  }
  /// Fills Touched, ascending.
  void end();

private:
  static_assert(1u << RealPages::PageBits == format::GranulesPerPage
                                                 << format::GranuleBits);
  static constexpr uint64_t NoReal = ~uint64_t(0);
  struct Page {
    uint64_t Number;
    uint64_t Real; ///< the real page that it was last
    uint64_t Touched[format::GranulesPerPage / 64]; ///< Entry is valid
    uint32_t Entry[format::GranulesPerPage];
  };

  Page &page(uint64_t Number) {
    Page *P = Cache[Number % CacheSize];
    return LLVM_LIKELY(P && P->Number == Number) ? *P : otherPage(Number);
  }
  Page &otherPage(uint64_t Number);
  /// Collects the rest of an access that is not in one granule.
  void secondGranule(const FlowPlace &Place, const format::MemShape &Shape,
                     uint8_t Bytes, unsigned Block, unsigned Insn);
  LLVM_ATTRIBUTE_ALWAYS_INLINE void granule(uint64_t G, uint8_t Bytes,
                                            uint64_t RealPage, uint8_t Flags,
                                            unsigned Block, unsigned Insn) {
    Page &P = page(G / format::GranulesPerPage);
    if (LLVM_UNLIKELY(RealPage != P.Real) && RealPage != NoReal) {
      P.Real = RealPage;
      Out->Reals.push_back({RealPage, P.Number});
    }
    const unsigned I = G % format::GranulesPerPage;
    uint64_t &Touched = P.Touched[I / 64];
    const uint64_t Bit = uint64_t(1) << (I % 64);
    uint32_t &Last = P.Entry[I];
    if (!(Touched & Bit) || Out->Accesses[Last].Block != Block) {
      const uint32_t Prev = Touched & Bit ? Last : NoEntry;
      Touched |= Bit;
      Last = uint32_t(Out->Accesses.size());
      Out->Accesses.push_back({Prev, uint16_t(Block), 0, 0, 0});
    }
    AccessEntry &Entry = Out->Accesses[Last];
    if (Flags & MemItem::Write) {
      Entry.Written |= Bytes;
      Entry.LastWrite = uint16_t(Insn);
    } else {
      Entry.Read |= Bytes;
    }
  }

  std::vector<std::unique_ptr<Page>> Room; ///< the first NumPages are in use
  size_t NumPages = 0;
  llvm::DenseMap<uint64_t, Page *> Pages;
  static constexpr unsigned CacheSize = 64;
  Page *Cache[CacheSize] = {};
  SegmentMemory *Out = nullptr;
};

} // namespace rw

#endif // REWIND_STORE_ACCESSCOLLECTOR_H
