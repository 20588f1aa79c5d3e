//===- PropertyTest.cpp - Passes against naive models ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include <random>

using namespace rw;
using namespace rw::htr;

namespace {

std::mt19937 Random(12345);

/// A random program run: nested loops, branches, calls and gaps, as text.
std::string randomTrace(unsigned Depth) {
  std::string S;
  unsigned Parts = 1 + Random() % 4;
  for (unsigned I = 0; I < Parts; ++I) {
    switch (Random() % (Depth ? 7 : 2)) {
    case 0:
    case 1:
      for (unsigned K = Random() % 5; K-- > 0;)
        S += char('a' + Random() % 20);
      break;
    case 2:
    case 3: {
      std::string Body = randomTrace(Depth - 1);
      for (unsigned K = 1 + Random() % 6; K-- > 0;)
        S += Body;
      break;
    }
    case 4: {
      std::string A = randomTrace(Depth - 1), B = randomTrace(Depth - 1);
      for (unsigned K = 1 + Random() % 6; K-- > 0;)
        S += "h" + (Random() % 2 ? A : B) + "t";
      break;
    }
    case 5:
      S += std::string("(") + char('A' + Random() % 5) +
           randomTrace(Depth - 1) + ")";
      break;
    case 6:
      if (Random() % 4 == 0)
        S += "!";
    }
  }
  return S;
}

std::string randomNoise() {
  std::string S;
  unsigned Letters = 1 + Random() % 6;
  for (unsigned I = Random() % 200; I > 0; --I)
    S += Random() % 50 ? char('a' + Random() % Letters) : '!';
  return S;
}

TestTrace randomThreads() {
  std::vector<std::string> Threads;
  for (unsigned I = 1 + Random() % 3; I > 0; --I)
    Threads.push_back(Random() % 4 ? randomTrace(4) : randomNoise());
  return TestTrace(Threads);
}

} // namespace

TEST(HtrProperties, BsbFollowsItsDefinition) {
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomThreads();
    auto Expected = naiveBsb(T.H, 0);
    T.run("bsb");
    expectLossless(T.H);
    ASSERT_EQ(bsbSizes(T.H, T.H.Layers.size() - 1), Expected);
    // A second round never finds anything.
    size_t Layers = T.H.Layers.size();
    T.run("bsb");
    ASSERT_EQ(T.H.Layers.size(), Layers);
  }
}

TEST(HtrProperties, EveryPipelineIsLossless) {
  const char *Pipelines[] = {"functions",
                             "loops",
                             "grammar",
                             "functions,bsb,loops",
                             "functions,bsb,flow-loops",
                             "functions,flow-loops,loops",
                             "bsb,functions,loops,grammar",
                             "loops,bsb,loops,functions",
                             "grammar,bsb,functions,loops",
                             "bsb,loops,grammar,grammar"};
  for (unsigned Round = 0; Round < 1500; ++Round) {
    TestTrace T = randomThreads();
    PassOptions Options;
    Options.Similar = Random() % 3 == 0;
    Options.Once = Random() % 2;
    Options.MaxBody = 1 + Random() % 40;
    Options.Recursion = 1 + Random() % 3;
    T.run(Pipelines[Random() % std::size(Pipelines)], Options);
    expectLossless(T.H);
    if (HasFatalFailure())
      return;
  }
}

TEST(HtrProperties, PassesNeverMergeBreaks) {
  for (unsigned Round = 0; Round < 500; ++Round) {
    TestTrace T = randomThreads();
    PassOptions Options;
    Options.Similar = Round % 2;
    T.run("bsb,loops,grammar", Options);
    for (BlockId B = 0; B < T.H.Dict.size(); ++B)
      if (T.H.Dict.Home[B])
        for (BlockId P : T.H.parts(B, T.H.top())) {
          ASSERT_FALSE(T.H.isBreak(P));
        }
  }
}

// After the loops pass no unit, and no short run of units, occurs twice in a
// row unless it is part of something that came later: here, plain texts.
TEST(HtrProperties, LoopsLeaveNoImmediateRepetition) {
  for (unsigned Round = 0; Round < 500; ++Round) {
    TestTrace T = randomThreads();
    T.run("loops");
    for (ThreadIndex Th = 0; Th < T.H.numThreads(); ++Th) {
      auto Seq = T.H.top().sequence(Th).vec();
      for (size_t I = 1; I < Seq.size(); ++I)
        if (!T.H.isBreak(Seq[I])) {
          ASSERT_NE(Seq[I - 1], Seq[I]) << top(T, Th);
        }
    }
  }
}
