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
    Past.clear();
  }
  /// The accesses of an instruction, in order.
  void apply(llvm::ArrayRef<DecodedMem> Accesses);

private:
  const TraceStore::Impl &I;
  SegmentView S;
  unsigned Block;
  std::vector<DecodedMem> Past; ///< accesses of the block
  llvm::DenseMap<uint64_t, GranuleState> Granules;
};

} // namespace rw

#endif // REWIND_STORE_BLOCKMEMORY_H
