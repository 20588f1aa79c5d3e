//===- TablesTest.cpp - What layers are kept in while passes run ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/htr/Statistics.h"
#include <random>

using namespace llvm;
using namespace rw;
using namespace rw::htr;

// Enough for several chunks; ids of one to three bytes, and runs of all sizes.
TEST(UnitList, GivesBackWhatItGot) {
  std::mt19937 Random(5);
  for (unsigned Bits : {1, 6, 7, 13, 20}) {
    UnitList L;
    std::vector<std::vector<BlockId>> Wanted;
    uint64_t Total = 0;
    for (unsigned S = 0; S < 40; ++S) {
      std::vector<BlockId> &Units = Wanted.emplace_back();
      unsigned Size = S % 5 == 4 ? 0 : Random() % 20000;
      BlockId B = 0;
      for (unsigned I = 0; I < Size; ++I) {
        B = Random() % 8 ? B + 1 : BlockId(Random());
        B &= (1u << Bits) - 1;
        Units.push_back(B);
      }
      L.append(Units);
      L.endSequence();
      EXPECT_EQ(L.before(S), Total);
      Total += Size;
    }
    EXPECT_EQ(L.size(), Total);
    ASSERT_EQ(L.numSequences(), Wanted.size());
    std::vector<uint64_t> Order;
    for (size_t S = 0; S < Wanted.size(); ++S) {
      EXPECT_EQ(L.sequence(S).size(), Wanted[S].size());
      EXPECT_EQ(L.sequence(S).vec(), Wanted[S]);
      EXPECT_TRUE(L.sequence(S) == UnitSeq(Wanted[S]));
      Order.insert(Order.begin(), S);
    }
    UnitList Copy = L;
    Copy.reorder(Order);
    EXPECT_EQ(Copy.before(1), Wanted.back().size());
    for (size_t S = 0; S < Wanted.size(); ++S)
      EXPECT_EQ(Copy.sequence(S).vec(), Wanted[Order[S]]);
  }
}

TEST(TimeTable, AnyTimes) {
  std::mt19937_64 Random(6);
  for (unsigned Kind = 0; Kind < 7; ++Kind) {
    TimeTable Times, Twice;
    std::vector<uint64_t> Wanted;
    uint64_t T = Kind == 1 ? ~uint64_t(0) - 5000 : 1000;
    EXPECT_TRUE(Times.empty());
    for (unsigned I = 0; I < 10000; ++I) {
      T += Kind <= 1   ? 3              // wraps around, for 1
           : Kind == 2 ? Random() % 100 // as cycles go
           : Kind == 3 ? 0
           : Kind == 4 ? (I % 300 == 0) * (uint64_t(1) << 40)
           : Kind == 5 ? Random()
                       : -(Random() % 5); // backwards
      Wanted.push_back(T);
      Times.push(T);
      EXPECT_EQ(Times.at(I), T);
    }
    ASSERT_EQ(Times.size(), Wanted.size());
    for (size_t I = 0; I < Wanted.size(); ++I)
      ASSERT_EQ(Times.at(I), Wanted[I]) << Kind << " " << I;
    Twice.append(Times);
    Twice.append(Times);
    ASSERT_EQ(Twice.size(), 2 * Wanted.size());
    EXPECT_EQ(Twice.at(10001), Wanted[1]);
  }
}

TEST(NumberTable, SmallAndLarge) {
  NumberTable Small(3, ~uint32_t(0)), Large(3, uint64_t(1) << 40);
  Small.set(2, ~uint32_t(0));
  Large.set(2, 0xfedcba9876);
  Large.set(0, 5);
  EXPECT_EQ(Small[2], ~uint32_t(0));
  EXPECT_EQ(Small[1], 0u);
  EXPECT_EQ(Large[2], 0xfedcba9876u);
  EXPECT_EQ(Large[0], 5u);
}

// Long enough for the loops pass to let go of what lies deep below, in the
// midst of loops: what is folded must not depend on it.
TEST(Loops, LongSequences) {
  std::mt19937 Random(8);
  std::vector<BlockId> Units;
  while (Units.size() < 200000) {
    unsigned Body = 1 + Random() % 5, Times = 1 + Random() % 4;
    BlockId First = Random() % 50;
    for (unsigned T = 0; T < Times; ++T)
      for (unsigned I = 0; I < Body; ++I)
        Units.push_back(First + I);
    if (Random() % 3 == 0) { // a loop around what came last
      size_t Size = std::min<size_t>(1 + Random() % 30, Units.size());
      std::vector<BlockId> Again(Units.end() - Size, Units.end());
      Units.insert(Units.end(), Again.begin(), Again.end());
    }
  }
  TestTrace Long(std::vector<std::vector<BlockId>>{Units}, 60);
  Long.run("loops");
  expectLossless(Long.H);
  // With longer bodies allowed nothing is let go of so early.
  TestTrace Wide(std::vector<std::vector<BlockId>>{Units}, 60);
  PassOptions Options;
  Options.MaxBody = 500;
  Wide.run("loops", Options);
  EXPECT_GT(Long.H.top().Units.size(), 25000u);
  EXPECT_EQ(Long.H.top().Units.size(), Wide.H.top().Units.size());
  EXPECT_TRUE(top(Long) == top(Wide));
}
