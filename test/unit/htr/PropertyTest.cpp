//===- PropertyTest.cpp - Passes against naive models ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include <map>
#include <random>
#include <set>

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

/// The definition of basic super blocks, word by word: for every thread, the
/// sizes of the blocks in units.
std::vector<std::vector<size_t>> naiveBsb(const Hierarchy &H, size_t L) {
  std::map<BlockId, std::set<int64_t>> Succ, Pred;
  constexpr int64_t Border = -1;
  for (size_t S = 0; S < H.Layers[L].numSequences(); ++S) {
    auto Seq = H.Layers[L].sequence(S);
    for (size_t I = 0; I < Seq.size(); ++I) {
      Pred[Seq[I]].insert(I ? int64_t(Seq[I - 1]) : Border);
      Succ[Seq[I]].insert(I + 1 < Seq.size() ? int64_t(Seq[I + 1]) : Border);
    }
  }
  std::vector<std::vector<size_t>> Result;
  for (size_t S = 0; S < H.Layers[L].numSequences(); ++S) {
    auto Seq = H.Layers[L].sequence(S);
    auto &Sizes = Result.emplace_back();
    for (size_t I = 0; I < Seq.size(); ++I) {
      bool Boundary = I == 0 || Succ[Seq[I - 1]].size() > 1 ||
                      Pred[Seq[I]].size() > 1 || H.isBreak(Seq[I - 1]) ||
                      H.isBreak(Seq[I]);
      if (Boundary)
        Sizes.push_back(0);
      ++Sizes.back();
    }
  }
  return Result;
}

} // namespace

TEST(HtrProperties, BsbFollowsItsDefinition) {
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomThreads();
    auto Expected = naiveBsb(T.H, 0);
    T.run("bsb");
    expectLossless(T.H);
    const Layer &Top = T.H.top();
    for (size_t S = 0; S < Top.numSequences(); ++S) {
      std::vector<size_t> Sizes;
      for (BlockId B : Top.sequence(S))
        Sizes.push_back(T.H.Dict.Home[B] ? T.H.Dict.Count[B] : 1);
      ASSERT_EQ(Sizes, Expected[S]);
    }
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
      auto Seq = T.H.top().sequence(Th);
      for (size_t I = 1; I < Seq.size(); ++I)
        if (!T.H.isBreak(Seq[I])) {
          ASSERT_NE(Seq[I - 1], Seq[I]) << top(T, Th);
        }
    }
  }
}
