//===- BlockTable.h - Finds a block by what it is made of -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_BLOCKTABLE_H
#define REWIND_HTR_BLOCKTABLE_H

#include "core/htr/Hierarchy.h"
#include "core/support/Golden.h"
#include "llvm/Support/xxhash.h"

namespace rw::htr {

/// Hash of a run of ids, seeded with something that tells kinds apart.
inline uint64_t hashUnits(llvm::ArrayRef<BlockId> Units, uint64_t Seed) {
  uint64_t H = llvm::xxh3_64bits(llvm::ArrayRef(
      reinterpret_cast<const uint8_t *>(Units.data()), Units.size() * 4));
  H ^= golden(Seed + 1);
  return H ^ (H >> 29);
}

/// An open-addressing hash set of block ids. The caller says what equality
/// means; no hash is ever trusted alone.
class BlockTable {
public:
  /// The block with that hash for which \p Same holds, or NoBlock.
  template <typename F> BlockId find(uint64_t Hash, F Same) const {
    if (Slots.empty())
      return NoBlock;
    for (size_t I = Hash & Mask;; I = (I + 1) & Mask) {
      const Slot &S = Slots[I];
      if (S.Id == NoBlock)
        return NoBlock;
      if (S.Tag == uint32_t(Hash >> 32) && Same(S.Id))
        return S.Id;
    }
  }

  void insert(uint64_t Hash, BlockId Id) {
    if ((Used + 1) * 2 > Slots.size())
      grow();
    place({Id, uint32_t(Hash >> 32), Hash});
    ++Used;
  }

private:
  struct Slot {
    BlockId Id = NoBlock;
    uint32_t Tag = 0;
    uint64_t Hash = 0;
  };
  std::vector<Slot> Slots;
  size_t Mask = 0, Used = 0;

  void place(const Slot &S) {
    size_t I = S.Hash & Mask;
    while (Slots[I].Id != NoBlock)
      I = (I + 1) & Mask;
    Slots[I] = S;
  }
  void grow() {
    std::vector<Slot> Old(std::max<size_t>(64, Slots.size() * 2));
    Old.swap(Slots);
    Mask = Slots.size() - 1;
    for (const Slot &S : Old)
      if (S.Id != NoBlock)
        place(S);
  }
};

} // namespace rw::htr

#endif // REWIND_HTR_BLOCKTABLE_H
