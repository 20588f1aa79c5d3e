//===- CallPyramid.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/view/CallPyramid.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

/// More buckets than that are not wanted at once: a thread of a hundred million
/// instructions begins with 4,096 of them a bucket.
static constexpr uint64_t FinestBuckets = 1 << 15;

BucketGrid::BucketGrid(Position From, Position To, uint64_t MaxBuckets) {
  if (To <= From)
    return;
  MaxBuckets = std::max<uint64_t>(MaxBuckets, 2);
  while (((To - 1) >> Log2) - (From >> Log2) + 1 > MaxBuckets)
    ++Log2;
  First = From >> Log2;
  End = ((To - 1) >> Log2) + 1;
}

/// Of two that are as long, the first.
static void merge(CallSlice &To, const CallSlice &S) {
  uint64_t Count = To.Count + S.Count;
  if (S.Length > To.Length)
    To = S;
  To.Count = Count;
}

void CallPyramid::add(std::vector<Cell> &To, uint64_t Bucket,
                      const CallSlice &S) {
  if (To.empty() || To.back().Bucket != Bucket)
    To.push_back({Bucket, S});
  else
    merge(To.back().Longest, S);
}

size_t CallPyramid::coarsen(const Level &From, Level &To) {
  size_t Cells = 0;
  To.resize(From.size());
  for (size_t Depth = 0; Depth < From.size(); ++Depth) {
    for (const Cell &C : From[Depth])
      add(To[Depth], C.Bucket / 2, C.Longest);
    To[Depth].shrink_to_fit();
    Cells += To[Depth].size();
  }
  return Cells;
}

static CallSlice sliceOf(const Activation &A) {
  CallSlice S;
  S.Start = A.Start;
  S.Length = A.inclusive();
  S.Number = A.Number;
  S.EntryPC = A.EntryPC;
  S.Depth = A.Depth;
  S.Kind = A.Kind;
  return S;
}

Expected<CallPyramid> CallPyramid::build(const CallIndex &Calls, ThreadIndex T,
                                         const Watch &W, size_t MaxCells) {
  CallPyramid P;
  P.T = T;
  uint64_t Total = Calls.size(T);
  if (!Total)
    return P;
  auto Root = Calls.activation(T, 0);
  if (!Root)
    return Root.takeError();
  P.Finest = BucketGrid(0, Root->End, FinestBuckets).Log2;
  Level Base(Calls.maxDepth(T) + 1);
  size_t Cells = 0;
  Error Stopped = Error::success();
  if (Error E = Calls.forEach(T, 0, Total, [&](const Activation &A) {
        if (A.Depth >= Base.size())
          return true; // A damaged index; forEach tells.
        std::vector<Cell> &Row = Base[A.Depth];
        size_t Before = Row.size();
        add(Row, A.Start >> P.Finest, sliceOf(A));
        Cells += Row.size() - Before;
        while (Cells > MaxCells && P.Finest < 63) {
          Level Coarse;
          size_t Fewer = coarsen(Base, Coarse);
          ++P.Finest;
          Base = std::move(Coarse);
          // Deeper than there is room for: it is as coarse as it gets.
          if (std::exchange(Cells, Fewer) == Fewer)
            break;
        }
        if (A.Number % 65536)
          return true;
        Stopped = joinErrors(std::move(Stopped),
                             W.step("calls by depth", A.Number, Total));
        return !W.cancelled();
      })) {
    consumeError(std::move(Stopped));
    return E;
  }
  if (Stopped)
    return Stopped;
  P.Levels.push_back(std::move(Base));
  for (uint64_t Buckets = (Root->End - 1) >> P.Finest; Buckets; Buckets /= 2) {
    Level Coarse;
    coarsen(P.Levels.back(), Coarse);
    P.Levels.push_back(std::move(Coarse));
  }
  return P;
}

Expected<std::vector<CallSlice>> CallPyramid::slices(const CallIndex &Calls,
                                                     const Query &Q) const {
  std::vector<CallSlice> Before, Result;
  const BucketGrid &G = Q.Grid;
  if (G.First >= G.End || Levels.empty())
    return Result;
  Position From = G.begin(G.First);
  auto Wanted = [&](uint32_t Depth) {
    return Q.FromDepth <= Depth && Depth < Q.ToDepth;
  };
  // What began before the first bucket is in none of them.
  auto Running = Calls.stack(T, From);
  if (!Running)
    return Running.takeError();
  for (const Activation &A : *Running)
    if (A.Start < From && Wanted(A.Depth))
      Before.push_back(sliceOf(A));
  auto InOrder = [](const CallSlice &A, const CallSlice &B) {
    return std::tie(A.Depth, A.Start) < std::tie(B.Depth, B.Start);
  };
  llvm::sort(Before, InOrder);
  if (G.Log2 >= Finest) {
    const Level &L =
        Levels[std::min<size_t>(G.Log2 - Finest, Levels.size() - 1)];
    // Above the top level all of the thread is in the first bucket.
    uint32_t End = uint32_t(std::min<size_t>(Q.ToDepth, L.size()));
    for (uint32_t Depth = Q.FromDepth; Depth < End; ++Depth)
      for (auto C = partition_point(
               L[Depth], [&](const Cell &C) { return C.Bucket < G.First; });
           C != L[Depth].end() && C->Bucket < G.End; ++C)
        Result.push_back(C->Longest);
  } else {
    auto First = Calls.firstFrom(T, From);
    if (!First)
      return First.takeError();
    auto Last = Calls.firstFrom(T, G.begin(G.End));
    if (!Last)
      return Last.takeError();
    Level L;
    if (Error E = Calls.forEach(T, *First, *Last, [&](const Activation &A) {
          if (!Wanted(A.Depth))
            return true;
          if (L.size() <= A.Depth)
            L.resize(A.Depth + 1);
          add(L[A.Depth], A.Start >> G.Log2, sliceOf(A));
          return true;
        }))
      return E;
    for (const std::vector<Cell> &Row : L)
      for (const Cell &C : Row)
        Result.push_back(C.Longest);
  }
  // The others came depth by depth, and in each as they began.
  std::vector<CallSlice> All;
  All.reserve(Before.size() + Result.size());
  std::merge(Before.begin(), Before.end(), Result.begin(), Result.end(),
             std::back_inserter(All), InOrder);
  return All;
}

size_t CallPyramid::bytes() const {
  size_t Bytes = 0;
  for (const Level &L : Levels)
    for (const std::vector<Cell> &Row : L)
      Bytes += Row.capacity() * sizeof(Cell);
  return Bytes;
}

} // namespace rw
