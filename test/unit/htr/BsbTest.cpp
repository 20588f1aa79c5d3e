//===- BsbTest.cpp - Basic super blocks by hand ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"

using namespace rw::htr;

static std::string bsb(const std::string &Trace) {
  TestTrace T(Trace);
  T.run("bsb");
  expectLossless(T.H);
  return top(T);
}

TEST(Bsb, StraightLineIsOneBlock) { EXPECT_EQ(bsb("abcde"), "(abcde)"); }

TEST(Bsb, OneInstruction) {
  TestTrace T("a");
  T.run("bsb");
  EXPECT_EQ(T.H.Layers.size(), 1u); // nothing to merge: no layer
  EXPECT_EQ(top(T), "a");
}

TEST(Bsb, EmptyThread) {
  TestTrace T("");
  T.run("bsb,loops,grammar,functions");
  EXPECT_EQ(T.H.Layers.size(), 1u);
}

// succ(a)={b} pred(b)={a,c}: boundary before b. succ(c)={b,d}: boundary after
// c.
TEST(Bsb, Loop) { EXPECT_EQ(bsb("abcbcbcd"), "a (bc) (bc) (bc) d"); }

// A prologue longer than one unit stays together, and so does the exit.
TEST(Bsb, LoopWithPrologueAndEpilogue) {
  EXPECT_EQ(bsb("pqbcbcbcxyz"), "(pq) (bc) (bc) (bc) (xyz)");
}

TEST(Bsb, NestedLoops) {
  EXPECT_EQ(bsb("ihbbbjhbbj ihbj z"), "i h b b b j h b b j i h b j z");
  EXPECT_EQ(bsb("io hbcbcbc jk io hbcbc jk z"),
            "(ioh) (bc) (bc) (bc) (jk) (ioh) (bc) (bc) (jk) z");
}

// The two arms differ, what is before and after them is common.
TEST(Bsb, LoopWithIfElse) {
  EXPECT_EQ(bsb("s hi ab t hi cd t hi ab t e"),
            "s (hi) (ab) t (hi) (cd) t (hi) (ab) t e");
}

// The end of the trace is one more successor of c: it is not always followed by
// d. The trace ends in the middle of the loop.
TEST(Bsb, EndsInsideALoop) { EXPECT_EQ(bsb("bcdbcdbc"), "(bc) d (bc) d (bc)"); }

// The beginning is a predecessor: b comes after a, but also first.
TEST(Bsb, BeginningCounts) { EXPECT_EQ(bsb("babab"), "b a b a b"); }

TEST(Bsb, GapNeverMerges) {
  EXPECT_EQ(bsb("abc!def"), "(abc) ! (def)");
  EXPECT_EQ(bsb("ab!ab!ab"), "(ab) ! (ab) ! (ab)");
  // c was followed by a gap once: after it, nothing is certain.
  EXPECT_EQ(bsb("abcdx!abc!"), "(abc) (dx) ! (abc) !");
}

// Statistics are over both threads, and every thread has its own borders.
TEST(Bsb, TwoThreads) {
  TestTrace T(std::vector<std::string>{"abcd", "xcdab"});
  T.run("bsb");
  expectLossless(T.H);
  EXPECT_EQ(top(T, 0), "(ab) (cd)");
  EXPECT_EQ(top(T, 1), "x (cd) (ab)");
}

// The trace with which LLDB tested its own first version of this (21
// instructions: a prologue, a loop condition de, a loop body fg), as
// docs/htr.md works it through. The blocks are those that LLDB expected.
TEST(Bsb, DocumentedExample) {
  EXPECT_EQ(bsb("abc de fg de fg de fg de fg de"),
            "(abc) (de) (fg) (de) (fg) (de) (fg) (de) (fg) (de)");
}

TEST(Bsb, OneRoundIsEnough) {
  TestTrace T("pqbcbcbcxyz!bcx");
  T.run("bsb");
  size_t Layers = T.H.Layers.size();
  EXPECT_EQ(Layers, 2u);
  T.run("bsb");
  EXPECT_EQ(T.H.Layers.size(), Layers);
}
