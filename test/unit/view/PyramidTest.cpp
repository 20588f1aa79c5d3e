//===- PyramidTest.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomCalls.h"
#include "core/view/CallPyramid.h"
#include <map>

using namespace rw;
using namespace rw::viewtest;

namespace {

std::string show(const CallSlice &S) {
  return std::to_string(S.Depth) + ":" + std::to_string(S.Start) + "+" +
         std::to_string(S.Length) + " @" + std::to_string(S.Number) + " x" +
         std::to_string(S.Count) + " " + llvm::utohexstr(S.EntryPC);
}

/// By looking at all activations.
std::vector<CallSlice> naive(const RandomCalls &C,
                             const CallPyramid::Query &Q) {
  std::map<std::pair<uint32_t, uint64_t>, CallSlice> Found;
  std::vector<CallSlice> Slices;
  Position From = Q.Grid.begin(Q.Grid.First), To = Q.Grid.begin(Q.Grid.End);
  for (const Activation &A : C.List) {
    if (A.Depth < Q.FromDepth || A.Depth >= Q.ToDepth || A.Start >= To ||
        A.End <= From)
      continue;
    CallSlice S;
    S.Start = A.Start;
    S.Length = A.End - A.Start;
    S.Number = A.Number;
    S.EntryPC = A.EntryPC;
    S.Depth = A.Depth;
    if (A.Start < From) {
      Slices.push_back(S);
      continue;
    }
    auto [It, New] = Found.try_emplace({A.Depth, A.Start >> Q.Grid.Log2}, S);
    if (New)
      continue;
    S.Count = It->second.Count + 1;
    if (S.Length > It->second.Length)
      It->second = S;
    It->second.Count = S.Count;
  }
  for (const auto &[Where, S] : Found)
    Slices.push_back(S);
  std::sort(Slices.begin(), Slices.end(),
            [](const CallSlice &A, const CallSlice &B) {
              return std::tie(A.Depth, A.Start) < std::tie(B.Depth, B.Start);
            });
  return Slices;
}

class RandomPyramid : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomPyramid, TellsTheLongestOfEachBucket) {
  Rng R(GetParam());
  RandomCalls C(GetParam(), 50 + R.below(200000), 1 + unsigned(R.below(20)));
  // Also with room for very little.
  size_t Room = R.chance(0.5) ? 1 << 19 : 20 + R.below(500);
  CallPyramid P = value(CallPyramid::build(*C.Index, 0, {}, Room));
  for (unsigned N = 0; N < 60; ++N) {
    Position From = R.below(C.Length), To = From + 1 + R.below(C.Length - From);
    CallPyramid::Query Q{BucketGrid(From, To, 1 + R.below(600))};
    if (R.chance(0.3))
      Q.FromDepth = uint32_t(R.below(5));
    if (R.chance(0.3))
      Q.ToDepth = uint32_t(R.below(8));
    std::vector<CallSlice> Got = value(P.slices(*C.Index, Q));
    std::vector<CallSlice> Want = naive(C, Q);
    ASSERT_EQ(Got.size(), Want.size());
    for (size_t I = 0; I < Got.size(); ++I)
      ASSERT_EQ(show(Got[I]), show(Want[I]));
  }
}

/// What a picture makes one of.
std::vector<CallSlice> joined(const std::vector<CallSlice> &All,
                              uint64_t Width) {
  std::vector<CallSlice> Result;
  for (size_t I = 0; I < All.size();) {
    CallSlice S = All[I];
    uint64_t Longest = S.Length;
    size_t J = I + 1;
    for (; J < All.size(); ++J) {
      const CallSlice &N = All[J];
      if (N.Depth != S.Depth || N.EntryPC != S.EntryPC || N.Length >= Width ||
          Longest >= Width || S.Count + N.Count <= 2 ||
          N.Start > S.end() + Width)
        break;
      if (N.Length > Longest) {
        Longest = N.Length;
        S.Number = N.Number;
      }
      S.Length = N.end() - S.Start;
      S.Count += N.Count;
    }
    Result.push_back(S);
    I = J;
  }
  return Result;
}

TEST_P(RandomPyramid, APictureIsAsFineAsFits) {
  Rng R(GetParam() + 1000);
  RandomCalls C(GetParam(), 50 + R.below(100000), 1 + unsigned(R.below(20)));
  size_t Room = R.chance(0.5) ? 1 << 19 : 20 + R.below(500);
  CallPyramid P = value(CallPyramid::build(*C.Index, 0, {}, Room));
  for (unsigned N = 0; N < 20; ++N) {
    Position From = R.below(C.Length), To = From + 1 + R.below(C.Length - From);
    CallPyramid::Query Q{BucketGrid(From, To, 1 + R.below(2000))};
    if (R.chance(0.3))
      Q.FromDepth = uint32_t(R.below(5));
    if (R.chance(0.3))
      Q.ToDepth = uint32_t(R.below(8));
    const size_t Most = 1 + R.below(R.chance(0.5) ? 50 : 1000);
    auto Picture = value(P.picture(*C.Index, Q, Most));
    auto Want = [&](BucketGrid G) {
      CallPyramid::Query At = Q;
      At.Grid = G;
      return joined(naive(C, At), uint64_t(1) << G.Log2);
    };
    for (;; ++Q.Grid.Log2, Q.Grid.First /= 2, ++Q.Grid.End /= 2) {
      if (Q.Grid.Log2 == Picture.Grid.Log2)
        break;
      ASSERT_GT(Want(Q.Grid).size(), Most);
    }
    ASSERT_EQ(Picture.Grid.First, Q.Grid.First);
    ASSERT_EQ(Picture.Grid.End, Q.Grid.End);
    std::vector<CallSlice> All = Want(Q.Grid);
    ASSERT_EQ(Picture.Complete, All.size() <= Most);
    ASSERT_EQ(Picture.Slices.size(), std::min(All.size(), Most));
    for (size_t I = 0; I < Picture.Slices.size(); ++I)
      ASSERT_EQ(show(Picture.Slices[I]), show(All[I]));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPyramid, testing::Range<uint64_t>(1, 41));

TEST(BucketGrid, HoldsTheWindowWithFewBuckets) {
  Rng R(1);
  for (unsigned N = 0; N < 20000; ++N) {
    Position From = R.next() >> (1 + R.below(60));
    Position To = From + 1 + (R.next() >> (1 + R.below(60)));
    uint64_t Most = 2 + R.below(3000);
    BucketGrid G(From, To, Most);
    ASSERT_LE(G.End - G.First, Most);
    ASSERT_LE(G.begin(G.First), From);
    ASSERT_GE(G.begin(G.End), To);
    ASSERT_LT(From, G.begin(G.First + 1));
    if (G.Log2) { // Narrower ones would be too many.
      ASSERT_GT(((To - 1) >> (G.Log2 - 1)) - (From >> (G.Log2 - 1)) + 1, Most);
    }
  }
  BucketGrid Empty(5, 5, 100);
  EXPECT_EQ(Empty.First, Empty.End);
}

TEST(CallPyramid, OneInstructionFiftyDeepIsSeenFromFarAway) {
  // A hundred million instructions, of which one is fifty deep.
  ActivationSorter Sorter(1000);
  const uint64_t Length = 100000000, Spike = 31415926;
  Sorter.add(0, Length, 0);
  for (unsigned D = 1; D <= 50; ++D)
    Sorter.add(Spike - (50 - D), Spike + 1 + (50 - D), 1);
  std::vector<callsection::EntryRecord> Entries(2);
  Entries[1].PC = 0x1234;
  Entries[1].KindFlags = unsigned(ActivationKind::Function);
  calltest::MemorySection Section;
  ActivationSorter *Threads[] = {&Sorter};
  ASSERT_FALSE(bool(writeCalls(Section, Threads, Entries, {})));
  auto Index = value(CallIndex::open(Section.bytes()));
  CallPyramid P = value(CallPyramid::build(*Index, 0, {}));
  std::vector<CallSlice> All =
      value(P.slices(*Index, {BucketGrid(0, Length, 1000)}));
  ASSERT_EQ(All.size(), 51u);
  EXPECT_EQ(All.back().Depth, 50u);
  EXPECT_EQ(All.back().Start, Spike);
  EXPECT_EQ(All.back().Length, 1u);
  EXPECT_LT(P.bytes(), 1u << 20);
}

TEST(CallPyramid, StopsWhenItIsTold) {
  RandomCalls C(1, 5000, 5);
  std::atomic<bool> Stop = true;
  auto P = CallPyramid::build(*C.Index, 0, {&Stop, nullptr, nullptr});
  ASSERT_FALSE(bool(P));
  EXPECT_EQ(llvm::toString(P.takeError()), "interrupted");
}

} // namespace
