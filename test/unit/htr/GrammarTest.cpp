//===- GrammarTest.cpp - General repetitions by hand ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/htr/passes/Sequitur.h"
#include <map>
#include <random>

using namespace rw::htr;

static std::string grammar(const std::string &Trace) {
  TestTrace T(Trace);
  T.run("grammar");
  expectLossless(T.H);
  return top(T);
}

// The examples of the paper.
TEST(Grammar, Paper) {
  EXPECT_EQ(grammar("abcdbc"), "a (bc) d (bc)");
  EXPECT_EQ(grammar("abcdbcabcdbc"), "(a(bc)d(bc)) (a(bc)d(bc))");
}

TEST(Grammar, NothingTwice) {
  EXPECT_EQ(grammar("abcdef"), "a b c d e f");
  EXPECT_EQ(grammar("a"), "a");
  EXPECT_EQ(grammar("aaa"), "a a a");
}

TEST(Grammar, NeverAcrossGapsOrThreads) {
  EXPECT_EQ(grammar("ab!ab"), "(ab) ! (ab)");
  EXPECT_EQ(grammar("a!ba!b"), "a ! b a ! b");
  TestTrace T(std::vector<std::string>{"xab", "cxab"});
  T.run("grammar");
  expectLossless(T.H);
  EXPECT_EQ(top(T, 0), "(xab)");
  EXPECT_EQ(top(T, 1), "c (xab)");
}

// The two invariants of the algorithm, on the kinds of input that are known to
// be hard for it.
TEST(Grammar, Invariants) {
  std::mt19937 Random(7);
  for (unsigned Round = 0; Round < 400; ++Round) {
    Sequitur G;
    unsigned Letters = 1 + Random() % 4, Size = Random() % 300;
    std::vector<uint32_t> Input;
    for (unsigned I = 0; I < Size; ++I) {
      Input.push_back(Random() % Letters);
      G.append(Input.back());
    }
    std::map<uint32_t, unsigned> Uses;
    std::map<std::pair<uint64_t, uint64_t>, std::pair<uint32_t, unsigned>> Seen;
    unsigned Twice = 0, Underused = 0;
    for (uint32_t R = 0; R < G.numRules(); ++R) {
      uint64_t Before = ~uint64_t(0);
      unsigned At = 0;
      G.forEach(R, [&](Sequitur::Symbol S) {
        if (S.What == Sequitur::Symbol::Rule)
          ++Uses[S.Value];
        uint64_t Value = uint64_t(S.What) << 32 | S.Value;
        if (Before != ~uint64_t(0)) {
          auto [It, New] = Seen.insert({{Before, Value}, {R, At}});
          // Overlapping pairs of equal symbols do not count.
          if (!New && !(Before == Value && It->second.first == R &&
                        It->second.second + 1 == At))
            ++Twice;
        }
        Before = Value;
        ++At;
      });
    }
    for (auto [Rule, N] : Uses)
      Underused += N < 2;
    EXPECT_EQ(Twice, 0u) << "round " << Round;
    EXPECT_EQ(Underused, 0u) << "round " << Round;
  }
}

// The layer that the pass makes does not look into chains.
TEST(Grammar, InvariantsOfTheLayer) {
  std::mt19937 Random(11);
  const char *Words[] = {"abc", "d", "ef", "ghij", "abd", "!"};
  for (unsigned Round = 0; Round < 400; ++Round) {
    std::vector<std::string> Threads(1 + Random() % 2);
    unsigned Vocabulary = 1 + Random() % std::size(Words);
    for (std::string &Text : Threads)
      for (unsigned I = Random() % 60; I > 0; --I)
        Text += Words[Random() % Vocabulary];
    SCOPED_TRACE(Threads[0]);
    TestTrace T(Threads);
    T.run("grammar");
    expectLossless(T.H);
    if (T.H.Layers.size() < 2)
      continue;
    const Layer &L = T.H.top();
    std::map<std::pair<BlockId, BlockId>, std::pair<size_t, size_t>> Seen;
    std::map<BlockId, unsigned> Uses;
    size_t Text = 0;
    auto Look = [&](const auto &Units) {
      BlockId Before = NoBlock;
      size_t At = 0;
      for (BlockId U : Units) {
        if (T.H.isBreak(U)) {
          Before = NoBlock;
        } else {
          ++Uses[U];
          if (Before != NoBlock) {
            auto [It, New] = Seen.insert({{Before, U}, {Text, At}});
            // Overlapping pairs of equal units do not count.
            EXPECT_TRUE(New || (Before == U && It->second.first == Text &&
                                It->second.second + 1 == At));
          }
          Before = U;
        }
        ++At;
      }
      ++Text;
    };
    for (size_t S = 0; S < L.numSequences(); ++S)
      Look(L.sequence(S));
    for (BlockId B = L.FirstBlock; B < L.EndBlock; ++B)
      Look(T.H.body(B));
    for (BlockId B = L.FirstBlock; B < L.EndBlock; ++B)
      EXPECT_GE(Uses[B], 2u);
  }
}
