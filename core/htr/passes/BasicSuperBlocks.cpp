//===- BasicSuperBlocks.cpp - Basic super block reduction -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chains become blocks. Inside a block every unit has one successor, so the
// block is known by its first unit alone: the dictionary is a table by first
// unit, and the second scan of the trace touches only the first unit of each
// block.
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/Chains.h"

using namespace llvm;

namespace rw::htr {

static Expected<bool> runRound(Hierarchy &H, const PassContext &Context) {
  size_t NumSequences = H.top().numSequences();
  uint64_t Total = H.top().Units.size();
  Pace Now(Context.Watch, "bsb", 2 * Total);
  auto Next = findChains(H, Now);
  if (!Next)
    return Next.takeError();
  BlockId Size = H.Dict.size();

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
        for (BlockId V = U; V != NoBlock; V = (*Next)[V])
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
