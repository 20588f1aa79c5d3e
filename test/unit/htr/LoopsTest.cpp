//===- LoopsTest.cpp - Repetitions by hand --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"

using namespace rw::htr;

static std::string loops(const std::string &Trace, bool Similar = false,
                         unsigned MaxBody = 64) {
  TestTrace T(Trace);
  PassOptions Options;
  Options.Similar = Similar;
  Options.MaxBody = MaxBody;
  T.run("loops", Options);
  expectLossless(T.H);
  return top(T);
}

TEST(Loops, StraightLine) { EXPECT_EQ(loops("abcdef"), "a b c d e f"); }
TEST(Loops, OneInstruction) { EXPECT_EQ(loops("a"), "a"); }

TEST(Loops, OneLoop) {
  EXPECT_EQ(loops("xaaay"), "x 3xa y");
  EXPECT_EQ(loops("xababaxb"), "x 2x(ab) a x b");
  EXPECT_EQ(loops("pabcabcabcabcq"), "p 4x(abc) q");
  EXPECT_EQ(loops("aa"), "2xa");
}

// A body may use a unit twice.
TEST(Loops, BodyWithRepeatedUnit) {
  EXPECT_EQ(loops("abacabacabacz"), "3x(abac) z");
  EXPECT_EQ(loops("xaabxaabxaabz"), "3x(x2xab) z");
}

TEST(Loops, NestedInsideOut) {
  EXPECT_EQ(loops("ibbbjibbbjibbbjz"), "3x(i3xbj) z");
  EXPECT_EQ(loops("ohbbjhbbjp ohbbjhbbjp"), "2x(o2x(h2xbj)p)");
}

// The inner loop ends the body of the outer one.
TEST(Loops, InnerLoopAtTheEnd) {
  EXPECT_EQ(loops("ibbbibbbibbbz"), "3x(i3xb) z");
  EXPECT_EQ(loops("ibcbcibcbcibcbcz"), "3x(i2x(bc)) z");
}

// With different trip counts of the inner loop there is no exact repetition.
TEST(Loops, TripCountsThatDiffer) {
  EXPECT_EQ(loops("ibbibbbibz"), "i 2xb i 3xb i b z");
  // The repetition is found as soon as it is there: from the first j on.
  EXPECT_EQ(loops("ibbjibbbjibbbjz"), "i 2xb 2x(ji3xb) j z");
}

TEST(Loops, EndsInsideALoop) {
  EXPECT_EQ(loops("xabcabcab"), "x 2x(abc) a b");
  EXPECT_EQ(loops("xibbjibbjib"), "x 2x(i2xbj) i b");
}

TEST(Loops, LongestBody) {
  EXPECT_EQ(loops("abcdabcd", false, 4), "2x(abcd)");
  EXPECT_EQ(loops("abcdabcd", false, 3), "a b c d a b c d");
}

TEST(Loops, GapInside) {
  EXPECT_EQ(loops("aaa!aaa"), "3xa ! 3xa");
  EXPECT_EQ(loops("ab!ab!ab"), "a b ! a b ! a b");
  EXPECT_EQ(loops("abab!abab"), "2x(ab) ! 2x(ab)");
  EXPECT_EQ(loops("aba!baba"), "a b a ! 2x(ba)");
}

TEST(Loops, EqualLoopsAreOneBlock) {
  TestTrace T("xaaayaaaz");
  T.run("loops");
  auto U = T.H.top().sequence(0).vec();
  ASSERT_EQ(U.size(), 5u);
  EXPECT_EQ(U[1], U[3]);
}

TEST(Loops, TwoThreads) {
  TestTrace T(std::vector<std::string>{"xababab", "abab"});
  T.run("loops");
  expectLossless(T.H);
  EXPECT_EQ(top(T, 0), "x 3x(ab)");
  EXPECT_EQ(top(T, 1), "2x(ab)");
}

TEST(Loops, SimilarFoldsBranches) {
  EXPECT_EQ(loops("s hat hbt hbt hat hat hbt e", true),
            "s {(hat)|(hbt)|(hbt)|(hat)|(hat)|(hbt)} e");
  // all the same: a plain repetition
  EXPECT_EQ(loops("s hat hat hat e", true), "s 3x(hat) e");
  // inner trip counts do not make different shapes
  EXPECT_EQ(loops("ibbj ibbbj ibbbbj ibbj e", true),
            "{(i2xbj)|(i3xbj)|(i4xbj)|(i2xbj)} e");
}

// What a function did does not make a different shape; it is kept all the same.
TEST(Loops, SimilarLooksAtCallsNotIntoThem) {
  TestTrace T("s h(fa)t h(fab)t h(fb)t h(fabb)t e");
  PassOptions Options;
  Options.Similar = true;
  T.run("functions,loops", Options);
  expectLossless(T.H);
  EXPECT_EQ(top(T), "s {(hf[fa]t)|(hf[fab]t)|(hf[fb]t)|(hf[fa2xb]t)} e");
}

TEST(Loops, SimilarNeedsMorePassesThanShapes) {
  EXPECT_EQ(loops("hat hbt e", true), "h a t h b t e");
}

TEST(Loops, SimilarStopsAtGap) {
  EXPECT_EQ(loops("aaa!aaa", true), "3xa ! 3xa");
  EXPECT_EQ(loops("ha!ha!ha!ha", true), "h a ! h a ! h a ! h a");
}
