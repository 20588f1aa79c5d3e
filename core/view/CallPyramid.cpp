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

/// The first of two that are as long is kept.
static void merge(CallSlice &To, const CallSlice &S) {
  uint64_t Count = To.Count + S.Count;
  if (S.Length > To.Length)
    To = S;
  To.Count = Count;
}

/// \p S begins after all that \p To has, which are of a depth.
void CallPyramid::add(std::vector<CallSlice> &To, unsigned Log2,
                      const CallSlice &S) {
  if (To.empty() || To.back().Start >> Log2 != S.Start >> Log2)
    To.push_back(S);
  else
    merge(To.back(), S);
}

/// To buckets of 2^\p Log2 instructions.
size_t CallPyramid::coarsen(const Level &From, unsigned Log2, Level &To) {
  size_t Cells = 0;
  To.resize(From.size());
  for (size_t Depth = 0; Depth < From.size(); ++Depth) {
    for (const CallSlice &S : From[Depth])
      add(To[Depth], Log2, S);
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
        std::vector<CallSlice> &Row = Base[A.Depth];
        size_t Before = Row.size();
        add(Row, P.Finest, sliceOf(A));
        Cells += Row.size() - Before;
        while (Cells > MaxCells && P.Finest < 63) {
          Level Coarse;
          size_t Fewer = coarsen(Base, ++P.Finest, Coarse);
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
    coarsen(P.Levels.back(), P.Finest + unsigned(P.Levels.size()), Coarse);
    P.Levels.push_back(std::move(Coarse));
  }
  return P;
}

/// A picture's grid becomes at most so many times as wide.
static constexpr unsigned MaxWider = 6;

/// The activations that begin in the grid, for grids finer than Levels[0]; and
/// those around it that are in a wider one.
Expected<CallPyramid::Level> CallPyramid::scan(const CallIndex &Calls,
                                               const Query &Q) const {
  Level L;
  const BucketGrid &G = Q.Grid;
  if (G.Log2 >= Finest)
    return L;
  auto First = Calls.firstFrom(T, G.begin(G.First >> MaxWider << MaxWider));
  if (!First)
    return First.takeError();
  auto Last = Calls.firstFrom(
      T, G.begin(((G.End - 1) >> MaxWider << MaxWider) + (1 << MaxWider)));
  if (!Last)
    return Last.takeError();
  const uint64_t Most = std::min(*Last - *First, G.End - G.First);
  if (Error E = Calls.forEach(T, *First, *Last, [&](const Activation &A) {
        if (A.Depth < Q.FromDepth || A.Depth >= Q.ToDepth)
          return true;
        if (L.size() <= A.Depth)
          L.resize(A.Depth + 1);
        if (L[A.Depth].empty())
          L[A.Depth].reserve(Most);
        add(L[A.Depth], G.Log2, sliceOf(A));
        return true;
      }))
    return E;
  return L;
}

const CallPyramid::Level &CallPyramid::level(const Query &Q,
                                             const Level &Scanned) const {
  if (Q.Grid.Log2 < Finest)
    return Scanned;
  // Above the top level all of the thread is in the first bucket.
  return Levels[std::min<size_t>(Q.Grid.Log2 - Finest, Levels.size() - 1)];
}

Error CallPyramid::forEach(const CallIndex &Calls, const Level &L,
                           const Query &Q,
                           function_ref<bool(const CallSlice &)> Emit) const {
  const Position From = Q.Grid.begin(Q.Grid.First),
                 To = Q.Grid.begin(Q.Grid.End);
  // What began before the first bucket is in none of them.
  auto Running = Calls.stack(T, From);
  if (!Running)
    return Running.takeError();
  std::vector<CallSlice> Before;
  size_t End = L.size();
  for (const Activation &A : *Running)
    if (A.Start < From) {
      Before.push_back(sliceOf(A));
      End = std::max<size_t>(End, A.Depth + 1);
    }
  llvm::sort(Before, [](const CallSlice &A, const CallSlice &B) {
    return std::tie(A.Depth, A.Start) < std::tie(B.Depth, B.Start);
  });
  End = std::min<size_t>(End, Q.ToDepth);
  auto Next = partition_point(
      Before, [&](const CallSlice &S) { return S.Depth < Q.FromDepth; });
  for (size_t Depth = Q.FromDepth; Depth < End; ++Depth) {
    for (; Next != Before.end() && Next->Depth == Depth; ++Next)
      if (!Emit(*Next))
        return Error::success();
    if (Depth >= L.size())
      continue;
    for (auto S = partition_point(
             L[Depth], [&](const CallSlice &S) { return S.Start < From; });
         S != L[Depth].end() && S->Start < To; ++S)
      if (!Emit(*S))
        return Error::success();
  }
  return Error::success();
}

Expected<std::vector<CallSlice>> CallPyramid::slices(const CallIndex &Calls,
                                                     const Query &Q) const {
  std::vector<CallSlice> All;
  if (Q.Grid.First >= Q.Grid.End || Levels.empty())
    return All;
  auto Scanned = scan(Calls, Q);
  if (!Scanned)
    return Scanned.takeError();
  if (Error E = forEach(Calls, level(Q, *Scanned), Q, [&](const CallSlice &S) {
        All.push_back(S);
        return true;
      }))
    return E;
  return All;
}

namespace {

/// Slices in order, joined as CallPyramid::picture says.
class JoinedSlices {
public:
  explicit JoinedSlices(unsigned Log2) : Width(uint64_t(1) << Log2) {}
  std::vector<CallSlice> All;
  void add(const CallSlice &S);

private:
  const uint64_t Width;
  uint64_t Longest = 0; ///< of those that the last one stands for
};

} // namespace

void JoinedSlices::add(const CallSlice &Next) {
  if (!All.empty()) {
    CallSlice &Last = All.back();
    if (Last.Depth == Next.Depth && Last.EntryPC == Next.EntryPC &&
        Last.Kind == Next.Kind && Next.Length < Width && Longest < Width &&
        Last.Count + Next.Count > 2 && Next.Start <= Last.end() + Width) {
      // The number stays that of the longest.
      if (Next.Length > Longest) {
        Longest = Next.Length;
        Last.Number = Next.Number;
      }
      Last.Length = Next.end() - Last.Start;
      Last.Count += Next.Count;
      return;
    }
  }
  Longest = Next.Length;
  All.push_back(Next);
}

Expected<CallPyramid::Picture>
CallPyramid::picture(const CallIndex &Calls, Query Q, size_t MaxSlices) const {
  if (Q.Grid.First >= Q.Grid.End || Levels.empty())
    return Picture{Q.Grid, {}};
  auto Scanned = scan(Calls, Q);
  if (!Scanned)
    return Scanned.takeError();
  for (unsigned Wider = 0;; ++Wider) {
    JoinedSlices Joined(Q.Grid.Log2);
    Joined.All.reserve(MaxSlices + 1);
    if (Error E =
            forEach(Calls, level(Q, *Scanned), Q, [&](const CallSlice &S) {
              Joined.add(S);
              return Joined.All.size() <= MaxSlices;
            }))
      return E;
    if (Joined.All.size() <= MaxSlices)
      return Picture{Q.Grid, std::move(Joined.All)};
    BucketGrid &G = Q.Grid;
    if (Wider == MaxWider || G.End - G.First < 64) {
      Joined.All.resize(MaxSlices);
      return Picture{G, std::move(Joined.All), false};
    }
    ++G.Log2;
    G.First /= 2;
    G.End = (G.End + 1) / 2;
    Level Coarse;
    coarsen(*Scanned, G.Log2, Coarse);
    *Scanned = std::move(Coarse);
  }
}

size_t CallPyramid::bytes() const {
  size_t Bytes = 0;
  for (const Level &L : Levels)
    for (const std::vector<CallSlice> &Row : L)
      Bytes += Row.capacity() * sizeof(CallSlice);
  return Bytes;
}

} // namespace rw
