//===- Statistics.cpp - Where blocks occur, and what they cost ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Statistics.h"
#include "core/htr/Pass.h"

using namespace llvm;

namespace rw::htr {

namespace {

/// Walks a layer with everything that it, and it alone, introduced: through
/// its own blocks, and through lower blocks as far as functions lie in them,
/// whose sequences hold this layer's blocks again.
class OccurrenceWalk {
public:
  OccurrenceWalk(const Hierarchy &H, size_t LayerIndex,
                 const std::vector<bool> &HasScope)
      : H(H), L(H.Layers[LayerIndex]), Enter(L.EndBlock),
        LayerIndex(LayerIndex) {
    for (BlockId B = 0; B < L.EndBlock; ++B) {
      bool E = HasScope[B];
      if (H.Dict.Home[B] == LayerIndex && H.Dict.Kind[B] != BlockKind::Function)
        for (BlockId P : H.body(B))
          E |= H.Dict.Home[P] == LayerIndex;
      Enter[B] = E;
    }
  }

  /// Calls \p Found with every block that this layer introduced, and its
  /// place.
  template <typename F> Error run(F Found, Pace &Now) {
    for (ThreadIndex T = 0; T < H.numThreads(); ++T) {
      Place P = H.ThreadBase[T];
      std::vector<Frame> Stack;
      Stack.emplace_back(L.sequence(T), 1);
      while (!Stack.empty()) {
        Frame &S = Stack.back();
        if (!S.Next.left()) {
          if (--S.Times == 0) {
            Stack.pop_back();
            continue;
          }
          S.Next = S.Units.begin();
        }
        BlockId B = *S.Next;
        ++S.Next;
        if (H.Dict.Home[B] == LayerIndex)
          Found(B, P);
        if (!Enter[B]) {
          P += H.Dict.Length[B];
          continue;
        }
        Stack.emplace_back(H.parts(B, L), H.Dict.Kind[B] == BlockKind::Repeat
                                              ? H.Dict.Value[B]
                                              : 1);
        if (Error E = Now.at(P))
          return E;
      }
    }
    return Error::success();
  }

private:
  struct Frame {
    UnitSeq Units;
    UnitSeq::iterator Next;
    uint64_t Times; ///< to go through them, this one included
    Frame(const UnitSeq &Units, uint64_t Times)
        : Units(Units), Next(Units.begin()), Times(Times) {}
  };
  const Hierarchy &H;
  const Layer &L;
  std::vector<uint8_t> Enter;
  const size_t LayerIndex;
};

} // namespace

/// Time from a place to one of the same thread; the end of the thread is no
/// later than its last instruction.
static uint64_t spent(const Hierarchy &H, const TimeTable &Times, ThreadIndex T,
                      Place P, uint64_t Length) {
  Place End = std::min(P + Length, H.ThreadBase[T + 1] - 1);
  return Times.at(End) - Times.at(P);
}

Statistics countLeaves(const Hierarchy &H, const TimeTable &Times) {
  Statistics R;
  R.Occurrences.assign(H.Dict.size(), 0);
  if (!Times.empty())
    R.Time.assign(H.Dict.size(), 0);
  for (ThreadIndex T = 0; T < H.numThreads(); ++T) {
    Place P = H.ThreadBase[T];
    for (BlockId B : H.Layers[0].sequence(T)) {
      ++R.Occurrences[B];
      if (H.Dict.Length[B] == 0)
        continue;
      if (!Times.empty())
        R.Time[B] += spent(H, Times, T, P, 1);
      ++P;
    }
  }
  return R;
}

Expected<Statistics> collect(const Hierarchy &H, const TimeTable &Times,
                             Statistics R, const Watch &Watch) {
  BlockId Size = H.Dict.size();
  R.Occurrences.resize(Size, 0);
  if (!Times.empty())
    R.Time.resize(Size, 0);
  auto threadOf = [&](Place P) {
    ThreadIndex T = 0;
    while (P >= H.ThreadBase[T + 1])
      ++T;
    return T;
  };

  std::vector<bool> HasScope(Size);
  for (BlockId B = 0; B < Size; ++B) {
    bool S = H.Dict.Kind[B] == BlockKind::Function;
    if (!S && H.Dict.Home[B])
      for (BlockId P : H.body(B))
        S = S || HasScope[P];
    HasScope[B] = S;
  }

  for (size_t L = 1; L < H.Layers.size(); ++L) {
    OccurrenceWalk Walk(H, L, HasScope);
    Pace Now(Watch, "counting blocks", H.numInstructions());
    if (Error E = Walk.run([&](BlockId B, Place) { ++R.Occurrences[B]; }, Now))
      return E;
  }
  R.FirstPlace.assign(Size + 1, 0);
  for (BlockId B = 0; B < Size; ++B)
    R.FirstPlace[B + 1] =
        R.FirstPlace[B] + (H.Dict.Home[B] ? R.Occurrences[B] : 0);
  R.Places = NumberTable(R.FirstPlace.back(), H.numInstructions());
  std::vector<uint64_t> Next(R.FirstPlace.begin(), R.FirstPlace.end() - 1);
  for (size_t L = 1; L < H.Layers.size(); ++L) {
    OccurrenceWalk Walk(H, L, HasScope);
    Pace Now(Watch, "finding blocks", H.numInstructions());
    if (Error E = Walk.run(
            [&](BlockId B, Place P) {
              R.Places.set(Next[B]++, P);
              if (!Times.empty() && H.Dict.Length[B])
                R.Time[B] += spent(H, Times, threadOf(P), P, H.Dict.Length[B]);
            },
            Now))
      return E;
  }
  return R;
}

} // namespace rw::htr
