//===- HotSpots.cpp - Where instructions are spent ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/HotSpots.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace rw::htr {

static void sortSpots(std::vector<HotSpot> &Spots) {
  llvm::erase_if(Spots, [](const HotSpot &S) { return S.Own == 0; });
  llvm::sort(Spots, [](const HotSpot &A, const HotSpot &B) {
    return std::tuple(B.Own, A.At, A.What, A.Id) <
           std::tuple(A.Own, B.At, B.What, B.Id);
  });
}

/// How often each block is gone through, seen from the top layer: what a
/// function is made of every layer tells anew, and only its telling counts.
static std::vector<uint64_t> executions(const HtrFile &File, unsigned Layer) {
  std::vector<uint64_t> Times(File.numBlocks());
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    const UnitRange R = File.sequence(Layer, T);
    for (uint64_t K = 0; K < R.size(); ++K)
      ++Times[File.unit(R, K)];
  }
  // A function's parts in an upper layer have higher ids than it has, so ids
  // tell no order there. Activations are counted where they occur.
  for (BlockId B = 0; B < File.numBlocks(); ++B)
    if (File.kind(B) == BlockKind::Function) {
      const uint64_t N = File.block(B).Occurrences;
      const UnitRange R = File.parts(B, Layer);
      for (uint64_t K = 0; K < R.size(); ++K)
        Times[File.unit(R, K)] += N;
    }
  for (BlockId B = File.numBlocks(); B-- > 0;) {
    if (!Times[B] || File.kind(B) == BlockKind::Function)
      continue;
    const UnitRange R = File.parts(B, Layer);
    for (uint64_t K = 0; K < R.size(); ++K)
      Times[File.unit(R, K)] += Times[B] * R.Times;
  }
  return Times;
}

std::vector<HotSpot> hotSpots(const HtrFile &File, bool Blocks) {
  const unsigned Layer = File.numLayers() - 1;
  const BlockId Size = File.numBlocks();
  const std::vector<uint64_t> Times = executions(File, Layer);
  std::vector<HotSpot> Spots;
  if (Blocks) {
    // A block of instructions alone counts; its instructions do not again.
    std::vector<uint64_t> Left(Times);
    for (BlockId B = File.layer(0).EndBlock; B < Size; ++B) {
      if (!Times[B] || File.kind(B) != BlockKind::Sequence)
        continue;
      const UnitRange R = File.parts(B, Layer);
      bool Plain = true;
      for (uint64_t K = 0; K < R.size() && Plain; ++K)
        Plain = File.kind(File.unit(R, K)) == BlockKind::Instruction;
      if (!Plain)
        continue;
      for (uint64_t K = 0; K < R.size(); ++K)
        Left[File.unit(R, K)] -= Times[B];
      Spots.push_back({HotSpot::Block, B, 0, File.occurrence(B, 0), Times[B],
                       Times[B] * File.length(B)});
    }
    for (BlockId B = 0; B < File.layer(0).EndBlock; ++B)
      if (Left[B] && File.kind(B) == BlockKind::Instruction)
        Spots.push_back({HotSpot::Block, B, 0, ~Place(0), Left[B], Left[B]});
    sortSpots(Spots);
    return Spots;
  }

  // What a block has of its own, if it is a part of something.
  std::vector<uint64_t> Own(Size);
  auto partsOf = [&](BlockId B) {
    const UnitRange R = File.parts(B, Layer);
    uint64_t Sum = 0;
    for (uint64_t K = 0; K < R.size(); ++K)
      Sum += Own[File.unit(R, K)];
    return Sum;
  };
  auto roundsOf = [&](BlockId B) {
    uint64_t Sum = 0;
    File.forEachRounds(B, [&](const HtrFile::Rounds &R) {
      Sum += R.Times * Own[R.Id];
      return true;
    });
    return Sum;
  };
  // Equal rounds are a Repeat that is no loop of its own.
  std::vector<bool> IsRounds(Size);
  for (BlockId B = 0; B < Size; ++B) {
    if (File.kind(B) == BlockKind::Instruction)
      Own[B] = 1;
    else if (File.kind(B) == BlockKind::Sequence)
      Own[B] = partsOf(B);
    else if (File.loopFacts(B)) {
      const UnitRange R = File.parts(B, Layer);
      for (uint64_t K = 0; K < R.size(); ++K)
        if (const BlockId P = File.unit(R, K);
            File.kind(P) == BlockKind::Repeat)
          IsRounds[P] = true;
    }
  }
  std::map<std::pair<uint8_t, uint64_t>, size_t> Known;
  auto add = [&](HotSpot::Kind What, uint64_t Value, BlockId B, uint64_t N,
                 Place At, uint64_t Instructions) {
    auto [It, New] = Known.try_emplace({What, Value}, Spots.size());
    if (New)
      Spots.push_back({What, B, Value, At, 0, 0});
    HotSpot &S = Spots[It->second];
    if (At < S.At) {
      S.At = At;
      S.Id = B;
    }
    S.Times += N;
    S.Own += Instructions;
  };
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    const UnitRange R = File.sequence(Layer, T);
    uint64_t Sum = 0;
    for (uint64_t K = 0; K < R.size(); ++K)
      Sum += Own[File.unit(R, K)];
    add(HotSpot::Thread, T, NoBlock, 1, File.placeOf(T, 0), Sum);
  }
  for (BlockId B = File.layer(0).EndBlock; B < Size; ++B) {
    if (!Times[B])
      continue;
    switch (File.kind(B)) {
    case BlockKind::Function: {
      const BlockInfo I = File.block(B);
      add(HotSpot::Function, I.Value, B, Times[B], File.occurrence(B, 0),
          Times[B] * partsOf(B));
      break;
    }
    case BlockKind::Repeat:
      if (IsRounds[B])
        break;
      [[fallthrough]];
    case BlockKind::Iterations: {
      const auto F = File.loopFacts(B);
      add(HotSpot::Loop, F ? F->Header : File.block(B).Entry, B, Times[B],
          File.occurrence(B, 0), Times[B] * roundsOf(B));
      break;
    }
    default:
      break;
    }
  }
  sortSpots(Spots);
  return Spots;
}

} // namespace rw::htr
