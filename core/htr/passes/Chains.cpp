//===- Chains.cpp - Units that always occur in the same order -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/Chains.h"

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

Expected<std::vector<BlockId>> findChains(const Hierarchy &H, Pace &Now) {
  BlockId Size = H.Dict.size();
  Neighbours N(Size);
  for (size_t S = 0; S < H.top().numSequences(); ++S) {
    N.add(H.top().sequence(S));
    if (Error E = Now.at(H.top().Units.before(S + 1)))
      return E;
  }
  std::vector<BlockId> Next(Size, NoBlock);
  for (BlockId A = 0; A < Size; ++A) {
    BlockId B = N.Succ[A];
    if (B < Several && N.Pred[B] == A && !H.isBreak(A) && !H.isBreak(B))
      Next[A] = B;
  }
  return Next;
}

} // namespace rw::htr
