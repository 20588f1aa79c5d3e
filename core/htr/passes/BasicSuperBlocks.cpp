//===- BasicSuperBlocks.cpp - Basic super block reduction -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With succ(a) and pred(b) the sets of distinct units that follow a and precede
// b anywhere (the beginning and the end of a sequence counting as one of them),
// a boundary lies between consecutive units a, b exactly where |succ(a)| > 1 or
// |pred(b)| > 1, and on both sides of a break.
//
// Inside a block every unit has one successor, so the block is known by its
// first unit alone: the dictionary is a table by first unit, and the second
// scan of the trace touches only the first unit of each block.
//
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"

using namespace llvm;

namespace rw::htr {
namespace {

constexpr BlockId Border = NoBlock - 1; ///< beginning or end of a sequence
constexpr BlockId Several = NoBlock - 2;

/// Distinct neighbours of each unit, as far as it matters: none, one, several.
struct Neighbours {
  std::vector<BlockId> Succ, Pred;
  explicit Neighbours(BlockId Size)
      : Succ(Size, NoBlock), Pred(Size, NoBlock) {}

  static void note(BlockId &Known, BlockId Seen) {
    if (LLVM_LIKELY(Known == Seen))
      return;
    Known = Known == NoBlock ? Seen : Several;
  }

  void add(const UnitSeq &Sequence) {
    BlockId Before = Border;
    for (BlockId B : Sequence) {
      note(Pred[B], Before);
      if (Before != Border)
        note(Succ[Before], B);
      Before = B;
    }
    if (Before != Border)
      note(Succ[Before], Border);
  }
};

} // namespace

static Expected<bool> runRound(Hierarchy &H, const PassContext &Context) {
  BlockId Size = H.Dict.size();
  Neighbours N(Size);
  size_t NumSequences = H.top().numSequences();
  uint64_t Total = H.top().Units.size();
  Pace Now(Context.Watch, "bsb", 2 * Total);
  for (size_t S = 0; S < NumSequences; ++S) {
    N.add(H.top().sequence(S));
    if (Error E = Now.at(H.top().Units.before(S + 1)))
      return E;
  }

  // The unit that always follows within the block, or NoBlock.
  std::vector<BlockId> Next(Size, NoBlock);
  for (BlockId A = 0; A < Size; ++A) {
    BlockId B = N.Succ[A];
    if (B < Several && N.Pred[B] == A && !H.isBreak(A) && !H.isBreak(B))
      Next[A] = B;
  }

  size_t Below = H.Layers.size() - 1;
  H.beginLayer("bsb");
  // Block that begins with a unit, and its length in units.
  std::vector<BlockId> BlockOf(Size, NoBlock);
  std::vector<uint32_t> UnitsOf(Size, 1);
  std::vector<BlockId> Chain;
  for (size_t S = 0; S < NumSequences; ++S) {
    UnitList &Out = H.Layers.back().Units;
    uint32_t Inside = 0; // units that still belong to the last block
    for (BlockId U : H.Layers[Below].sequence(S)) {
      if (Inside) {
        --Inside;
        continue;
      }
      if (LLVM_UNLIKELY(BlockOf[U] == NoBlock)) {
        Chain.clear();
        for (BlockId V = U; V != NoBlock; V = Next[V])
          Chain.push_back(V);
        UnitsOf[U] = Chain.size();
        BlockOf[U] =
            Chain.size() == 1 ? U : H.addSequence(BlockKind::Sequence, Chain);
      }
      Out.push_back(BlockOf[U]);
      Inside = UnitsOf[U] - 1;
    }
    Out.endSequence();
    if (Error E = Now.at(Total + H.Layers[Below].Units.before(S + 1)))
      return E;
  }
  return H.endLayer();
}

Error runBasicSuperBlocks(Hierarchy &H, const PassContext &Context) {
  for (;;) {
    Expected<bool> Changed = runRound(H, Context);
    if (!Changed)
      return Changed.takeError();
    if (!*Changed || Context.Options.Once)
      return Error::success();
  }
}

} // namespace rw::htr
