//===- LoopBlocks.h - Loop blocks and their bodies --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PASSES_LOOPBLOCKS_H
#define REWIND_HTR_PASSES_LOOPBLOCKS_H

#include "core/htr/BlockTable.h"

namespace rw::htr {

/// Makes the blocks of the top layer, each only once.
class LoopBlocks {
public:
  explicit LoopBlocks(Hierarchy &H) : H(H) {}

  BlockId sequence(BlockKind Kind, llvm::ArrayRef<BlockId> Parts,
                   uint64_t Value = 0) {
    uint64_t Hash = hashUnits(Parts, unsigned(Kind) + Value * 16);
    BlockId B = Table.find(Hash, [&](BlockId Other) {
      return H.Dict.Kind[Other] == Kind && H.Dict.Value[Other] == Value &&
             H.body(Other) == Parts;
    });
    if (B == NoBlock) {
      B = H.addSequence(Kind, Parts, Value);
      Table.insert(Hash, B);
    }
    return B;
  }

  BlockId repeat(BlockId Part, uint64_t Times) {
    uint64_t Hash = hashUnits(Part, Times + 16);
    BlockId B = Table.find(Hash, [&](BlockId Other) {
      return H.Dict.Kind[Other] == BlockKind::Repeat &&
             H.Dict.Value[Other] == Times && H.body(Other)[0] == Part;
    });
    if (B == NoBlock) {
      B = H.addRepeat(Part, Times);
      Table.insert(Hash, B);
    }
    return B;
  }

private:
  Hierarchy &H;
  BlockTable Table;
};

} // namespace rw::htr

#endif // REWIND_HTR_PASSES_LOOPBLOCKS_H
