//===- TranslationTest.cpp - Walks that were interrupted ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "Walks.h"
#include <gtest/gtest.h>

namespace rw::htm::test {
namespace {

constexpr uint64_t Text = 0x10000600, Data = 0x3fff80001000;
constexpr uint64_t GuestMsr = uint64_t(0x78c0) << 48;
constexpr uint64_t GuestText = 0x5000010000, GuestData = 0x6000001000;
void guestLine(Words &W, uint64_t EA, uint64_t RA) { line(W, EA, RA); }
void guestInsn(Words &W, uint32_t Op, uint64_t EA) {
  W.insert(W.end(), {p10Info(Op, EA), GuestMsr});
}
void guestLoad(Words &W, uint64_t EA, uint64_t Dea, uint64_t RA) {
  W.insert(W.end(), {p10Info(0xe8890000, EA, 1), GuestMsr, Dea, dra(RA)});
}

void expectWhole(const RadixWalk *W, uint64_t EA, uint64_t GuestRA) {
  ASSERT_TRUE(W);
  EXPECT_EQ(W->NumWalks, 5u);
  EXPECT_EQ(W->NumPtes, 3u);
  EXPECT_EQ(W->guestReal(EA), GuestRA | (EA & 0xfff));
  Words Whole = nested(EA, GuestRA);
  for (unsigned I = 0; I < 4; ++I) {
    EXPECT_EQ(W->GuestReal[I], walk::address(Whole[5 * I]));
    EXPECT_EQ(W->HostReal[I], walk::address(Whole[5 * I + 4]));
  }
  for (unsigned I = 0; I < 5; ++I)
    for (unsigned J = 0; J < 3; ++J)
      EXPECT_EQ(W->HostPte[I][J], walk::address(Whole[5 * I + 1 + J]));
}

TEST(Translation, NotInterrupted) {
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, nested(Data, GuestData));
  guestLoad(W, Text, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 1u);
  expectWhole(T.find(D.Insns[0].Walk), Text, GuestText);
  expectWhole(T.find(D.Insns[0].DataWalk[0]), Data, GuestData);
}

/// Case 2: a part of the walk, an interrupt, and the rest, which begins with an
/// entry that was already there.
TEST(Translation, InterruptedAndResumedWithOverlap) {
  Words Whole = nested(Data, GuestData);
  for (size_t Cut = 1; Cut < Whole.size(); ++Cut) {
    SCOPED_TRACE(Cut);
    Words W;
    xlate(W, false, nested(Text, GuestText));
    guestLine(W, Text, hostOf(GuestText));
    xlate(W, true, firstOf(Whole, Cut));
    // The interrupt handler runs without relocation.
    line(W, 0x500, 0x500);
    W.insert(W.end(), {p10Info(0x60000000, 0x500), uint64_t(0x8040) << 48});
    guestLine(W, Text, hostOf(GuestText));
    xlate(W, true, from(Whole, Cut - 1));
    guestLoad(W, Text, Data, hostOf(GuestData));
    Translator T;
    Decoded D = decode(W, 0, &T);
    ASSERT_EQ(D.Insns.size(), 2u);
    EXPECT_EQ(D.Sum.numDamages(), 0u);
    expectWhole(T.find(D.Insns[1].Walk), Text, GuestText);
    expectWhole(T.find(D.Insns[1].DataWalk[0]), Data, GuestData);
  }
}

/// The exception bit is on the last entry before the interruption.
TEST(Translation, InterruptedByAnException) {
  Words Whole = nested(Data, GuestData), First = firstOf(Whole, 8);
  First.back() |= uint64_t(Exception) << 60;
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, First);
  line(W, 0x300, 0x0);
  W.insert(W.end(), {p10Info(0x60000000, 0x300), uint64_t(0x8040) << 48});
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, from(Whole, 7));
  guestLoad(W, Text, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 2u);
  expectWhole(T.find(D.Insns[1].DataWalk[0]), Data, GuestData);
  EXPECT_EQ(T.statistics().Joined, 1u);
}

/// Case 3: the walk was complete, and nothing is sent again.
TEST(Translation, InterruptedAfterTheLastEntry) {
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, nested(Data, GuestData));
  line(W, 0x500, 0x500);
  W.insert(W.end(), {p10Info(0x60000000, 0x500), uint64_t(0x8040) << 48});
  guestLine(W, Text, hostOf(GuestText));
  guestLoad(W, Text, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 2u);
  expectWhole(T.find(D.Insns[1].DataWalk[0]), Data, GuestData);
  // The line's own walk, too: its first instruction did not complete.
  EXPECT_EQ(T.statistics().Resumed, 2u);
}

/// The page was used before, without a walk that could be found.
TEST(Translation, WhatWasNotFoundMayBeFoundLater) {
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  guestLoad(W, Text, Data, hostOf(GuestData));
  guestLoad(W, Text + 4, Data + 8, hostOf(GuestData));
  xlate(W, true, nested(Data, GuestData));
  line(W, 0x500, 0x500);
  W.insert(W.end(), {p10Info(0x60000000, 0x500), uint64_t(0x8040) << 48});
  guestLine(W, Text, hostOf(GuestText));
  guestLoad(W, Text + 8, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 4u);
  EXPECT_EQ(D.Insns[0].DataWalk[0], 0u);
  EXPECT_EQ(D.Insns[1].DataWalk[0], 0u);
  EXPECT_EQ(T.statistics().NotFound, 2u);
  expectWhole(T.find(D.Insns[3].DataWalk[0]), Data, GuestData);
}

/// Another walk for a page does not change what was told before.
TEST(Translation, AnotherWalkHasAnotherNumber) {
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, nested(Data, GuestData));
  guestLoad(W, Text, Data, hostOf(GuestData));
  xlate(W, true, nested(Data, GuestData));
  guestLoad(W, Text + 4, Data, hostOf(GuestData));
  // The page tables of another process, on the same page.
  Words Other = nested(Data, GuestData);
  for (uint64_t &E : Other)
    if (walk::isGuest(E) && !walk::isFinal(E))
      E += 0x80000;
  xlate(W, true, Other, 78);
  guestLoad(W, Text + 8, Data, hostOf(GuestData));
  guestLoad(W, Text + 12, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 4u);
  EXPECT_EQ(D.Insns[0].DataWalk[0], D.Insns[1].DataWalk[0]);
  EXPECT_NE(D.Insns[1].DataWalk[0], D.Insns[2].DataWalk[0]);
  EXPECT_EQ(D.Insns[2].DataWalk[0], D.Insns[3].DataWalk[0]);
  expectWhole(T.find(D.Insns[1].DataWalk[0]), Data, GuestData);
  const RadixWalk *New = T.find(D.Insns[2].DataWalk[0]);
  ASSERT_TRUE(New);
  EXPECT_EQ(New->GuestReal[0], walk::address(Other[0]));
}

/// Case 3, with the guest-real address only: found for the kernel's linear map.
TEST(Translation, InterruptedAfterTheGuestRealAddress) {
  const uint64_t Linear = 0xc000000000000000 | GuestData;
  Words Whole = nested(Linear, GuestData);
  Words W;
  // The host's part of the walk is known from another access to the 2M page.
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, nested(Linear + 0x1000, GuestData + 0x1000));
  guestLoad(W, Text, Linear + 0x1000, hostOf(GuestData + 0x1000));
  xlate(W, true, firstOf(Whole, 21)); // ends with the final guest-real address
  line(W, 0x500, 0x500);
  W.insert(W.end(), {p10Info(0x60000000, 0x500), uint64_t(0x8040) << 48});
  guestLine(W, Text, hostOf(GuestText));
  guestLoad(W, Text + 4, Linear, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 3u);
  expectWhole(T.find(D.Insns[2].DataWalk[0]), Linear, GuestData);
}

/// The caches of the hardware: every beginning of a walk may be missing once
/// its tables are known.
TEST(Translation, WalksWithoutTheirBeginning) {
  Words Whole = nested(Data + 0x2000, GuestData + 0x2000);
  for (size_t Missing = 0; Missing < Whole.size(); ++Missing) {
    SCOPED_TRACE(Missing);
    Words W;
    xlate(W, false, nested(Text, GuestText));
    guestLine(W, Text, hostOf(GuestText));
    xlate(W, true, nested(Data, GuestData));
    guestLoad(W, Text, Data, hostOf(GuestData));
    xlate(W, true, from(Whole, Missing));
    guestLoad(W, Text + 4, Data + 0x2000, hostOf(GuestData + 0x2000));
    Translator T;
    Decoded D = decode(W, 0, &T);
    ASSERT_EQ(D.Insns.size(), 2u);
    expectWhole(T.find(D.Insns[1].DataWalk[0]), Data + 0x2000,
                GuestData + 0x2000);
  }
}

/// Walks that belong to nothing must not be taken for another access's.
TEST(Translation, WalksOfInstructionsThatDoNotComplete) {
  const uint64_t Other = Data + 0x200000;
  Words W;
  xlate(W, false, nested(Text, GuestText));
  guestLine(W, Text, hostOf(GuestText));
  xlate(W, true, nested(Other, GuestData + 0x200000));
  guestInsn(W, 0x7c00222c, Text); // dcbt without an address
  xlate(W, true, nested(Data, GuestData));
  guestLoad(W, Text + 4, Data, hostOf(GuestData));
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 2u);
  EXPECT_EQ(D.Insns[0].NumData, 0u);
  expectWhole(T.find(D.Insns[1].DataWalk[0]), Data, GuestData);
}

/// Bare metal: one level of tables, the final entry tells the page's beginning.
TEST(Translation, BareMetal) {
  const uint64_t EA = 0xc000000000ea0780, RA = 0xea0780;
  Words W;
  xlate(W, false,
        {entry(Host, 6, 0x1e50000 + (EA >> 39 & 0x1fff) * 8),
         entry(Host, 4, 0x7fffff0000 + (EA >> 30 & 0x1ff) * 8),
         entry(Final | Guest | Host, 4, 0)});
  line(W, EA, RA);
  W.insert(W.end(), {p10Info(0x60000000, EA), uint64_t(0xb8c0) << 48});
  line(W, EA + 0x1000, RA + 0x1000);
  W.insert(W.end(), {p10Info(0x60000000, EA), uint64_t(0xb8c0) << 48});
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 2u);
  for (const Instruction &I : D.Insns) {
    const RadixWalk *R = T.find(I.Walk);
    ASSERT_TRUE(R);
    EXPECT_EQ(R->K, RadixWalk::Kind::Host);
    EXPECT_EQ(R->NumPtes, 2u);
    EXPECT_EQ(R->HostPte[0][1], 0x7fffff0000 + (EA >> 30 & 0x1ff) * 8);
    EXPECT_EQ(I.PageShift, 30u);
  }
}

/// A guest without relocation: the host's tables only.
TEST(Translation, GuestReal) {
  const uint64_t EA = 0x4a00;
  Words W;
  xlate(W, false,
        {entry(Host, 6, 0x430180000000), entry(Host, 4, 0x430180050000),
         entry(Host, 2, 0x430190000000),
         entry(Final | Guest | Host, 2, 0x20000004000)});
  line(W, EA, 0x20000004000);
  W.insert(W.end(), {p10Info(0x60000000, EA), uint64_t(0x0040) << 48});
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 1u);
  const RadixWalk *R = T.find(D.Insns[0].Walk);
  ASSERT_TRUE(R);
  EXPECT_EQ(R->K, RadixWalk::Kind::GuestReal);
  EXPECT_EQ(R->NumPtes, 3u);
  EXPECT_EQ(R->HostShift, 21u);
}

/// The guest's pages are larger than the host's, and a walk may tell of the
/// guest's address the beginning of its page only.
TEST(Translation, GuestPageLargerThanHostPage) {
  const uint64_t GuestPage = 0x100000000, InPage = 0x1a0000;
  const uint64_t EA = 0x3fff80000000 + InPage + 0xabc0;
  // 64K pages of the host: the tables' entries, and where they lead.
  auto hosts = [](Words &W, uint64_t G) {
    W.push_back(entry(Host, 6, 0x430180000000 + (G >> 39 & 0x1fff) * 8));
    W.push_back(entry(Host, 4, 0x430180050000 + (G >> 30 & 0x1ff) * 8));
    W.push_back(entry(Host, 2,
                      0x430190000000 + (G >> 30 & 0xff) * 0x1000 +
                          (G >> 21 & 0x1ff) * 8));
    W.push_back(entry(Host, 0,
                      0x4301a0000000 + (G >> 21 & 0xff) * 0x1000 +
                          (G >> 16 & 0x1f) * 8));
  };
  for (uint64_t Told : {GuestPage, GuestPage + InPage + 0xa000}) {
    SCOPED_TRACE(Told);
    Words Walk;
    const uint64_t Entries[3] = {0x5b00000000 + (EA >> 39 & 0x1fff) * 8,
                                 0x5b00010000 + (EA >> 30 & 0x1ff) * 8,
                                 0x5b00020000 + (EA >> 30 & 0xff) * 0x1000 +
                                     (EA >> 21 & 0x1ff) * 8};
    const unsigned Levels[3] = {6, 4, 2};
    for (unsigned N = 0; N < 3; ++N) {
      Walk.push_back(entry(Guest, Levels[N], Entries[N]));
      hosts(Walk, Entries[N]);
      Walk.push_back(entry(Guest | Host, Levels[N], hostOf(Entries[N])));
    }
    Walk.push_back(entry(Final | Guest, 2, Told));
    hosts(Walk, GuestPage + InPage);
    // The host's size of a final entry: 64K.
    Walk.push_back(entry(Final | Guest | Host, 1, hostOf(GuestPage + InPage)));
    Words W;
    xlate(W, false, nested(Text, GuestText));
    guestLine(W, Text, hostOf(GuestText));
    xlate(W, true, Walk);
    guestLoad(W, Text, EA, hostOf(GuestPage + InPage + 0xa000));
    Translator T;
    Decoded D = decode(W, 0, &T);
    ASSERT_EQ(D.Insns.size(), 1u);
    const RadixWalk *R = T.find(D.Insns[0].DataWalk[0]);
    ASSERT_TRUE(R);
    ASSERT_EQ(R->NumWalks, 4u);
    EXPECT_EQ(R->NumPtes, 4u);
    EXPECT_EQ(R->GuestShift, 21u);
    EXPECT_EQ(R->HostShift, 16u);
    EXPECT_EQ(R->guestReal(EA), GuestPage + InPage + 0xabc0);
    for (unsigned L = 0; L < 4; ++L)
      EXPECT_EQ(R->HostPte[3][L], walk::address(Walk[19 + L]));
  }
}

/// POWER8: the page of an address that was seen with its real address before.
TEST(Translation, P8Pages) {
  auto ira = [](uint64_t RA, unsigned Size) {
    return RA >> 12 << 26 | uint64_t(Size) << 24;
  };
  P8Words Both = {true, true, false, false}, Iea = {true, false, false, false};
  Words W = {p8Info(0x60000000, Text, Both), Text | 1, ira(0x700000000, 2),
             p8Info(0x60000000, Text + 64, Iea), (Text + 64) | 1,
             // Mapped anew, and another address without relocation.
             p8Info(0x60000000, Text, Both), Text | 1, ira(0x800000000, 1),
             p8Info(0x60000000, Text + 64, Iea), (Text + 64) | 1,
             p8Info(0x60000000, 0x500, Iea), 0x500 | 2};
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 5u);
  EXPECT_EQ(D.Insns[1].RA, 0x700000640u);
  EXPECT_EQ(D.Insns[1].PageShift, 16u);
  EXPECT_EQ(D.Insns[3].RA, 0x800000640u);
  EXPECT_EQ(D.Insns[3].PageShift, 12u);
  EXPECT_EQ(D.Insns[4].RA, 0x500u);
}

} // namespace
} // namespace rw::htm::test
