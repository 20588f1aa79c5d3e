//===- BlockMemory.h - Memory as a block sees it ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_BLOCKMEMORY_H
#define REWIND_STORE_BLOCKMEMORY_H

#include "core/store/PageIndex.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace rw {

/// What memory held before an instruction of a block, for values that the block
/// does not repeat since memory was known to hold them. The first look at 8
/// bytes is a search in the index of their page, later ones find them in a
/// table; accesses only cost memory until there is a look.
class BlockMemory {
public:
  BlockMemory(const TraceStore::Impl &I, const SegmentView &S, unsigned Block)
      : I(I), S(S), Block(Block) {}

  /// What the granule holds now; null if the store is damaged. Valid until the
  /// next call.
  const GranuleState *granule(uint64_t Number);
  /// \p Size bytes from \p Addr on; nothing if the store is damaged.
  std::optional<uint64_t> read(uint64_t Addr, unsigned Size);
  /// Goes on to the block that follows, after all accesses of this one.
  void enter(const SegmentView &Next, unsigned NextBlock) {
    S = Next;
    Block = NextBlock;
    PastEnd = Past.data();
    RoomLeft = Past.size();
  }
  /// How many granules it keeps since they were looked at. Too many: none is
  /// worth keeping.
  unsigned numLooked() const {
    constexpr unsigned Most = 256;
    return Granules.size() <= Most ? Granules.size() : 0;
  }
  /// Begins another block.
  void restart(const SegmentView &Next, unsigned NextBlock) {
    enter(Next, NextBlock);
    Granules.clear();
    Watched = 0;
  }
  /// Room for the \p N accesses of the next instruction, until the next call.
  DecodedMem *make(size_t N) {
    if (N > RoomLeft)
      makeRoom(N);
    return PastEnd;
  }
  /// Applies those, in order.
  void apply(size_t N) {
    const DecodedMem *M = PastEnd;
    PastEnd += N;
    RoomLeft -= N;
    if (!Watched)
      return;
    for (; M != PastEnd; ++M)
      if (M->Addr % 8 + M->Shape->Size > 8 ||
          Watched >> (M->Addr >> format::GranuleBits) % 64 & 1)
        applyTo(*M);
  }
  void apply(llvm::ArrayRef<DecodedMem> Accesses) {
    llvm::copy(Accesses, make(Accesses.size()));
    apply(Accesses.size());
  }

private:
  void makeRoom(size_t N);
  void applyTo(const DecodedMem &M);

  const TraceStore::Impl &I;
  SegmentView S;
  unsigned Block;
  std::vector<DecodedMem> Past;  ///< accesses of the block, and room for more
  DecodedMem *PastEnd = nullptr; ///< behind those
  size_t RoomLeft = 0;           ///< from there on
  llvm::DenseMap<uint64_t, GranuleState> Granules;
  uint64_t Watched = 0; ///< a bit for each of them, by the end of its number
};

} // namespace rw

#endif // REWIND_STORE_BLOCKMEMORY_H
