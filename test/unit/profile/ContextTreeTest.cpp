//===- ContextTreeTest.cpp ------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rule that bounds the tree, on the examples that it was thought up with.
//
//===----------------------------------------------------------------------===//

#include "core/profile/ContextProfile.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace rw;

namespace {

/// "abbbc" with a sample at every call: each sequence with its count.
class Calls {
public:
  Calls(ContextTree::Rule R = ContextTree::Rule::EdgeOnce)
      : P(1, R), Stack(P, 0, P.addRoot()) {}

  /// Letters are calls, '.' returns, '>' makes a tail call of the next one.
  void run(const char *Program) {
    for (; *Program; ++Program) {
      if (*Program == '.') {
        Stack.pop();
        continue;
      }
      if (*Program == '>')
        Stack.replace(ProfileBlockId(*++Program - 'a'), At++);
      else
        Stack.push(ProfileBlockId(*Program - 'a'), At++);
      Stack.sample(1);
    }
    Stack.popAll();
  }

  std::map<std::string, uint64_t> sequences() const {
    std::map<std::string, uint64_t> S;
    for (ContextTree::NodeId N = 0; N < P.tree().nodes().size(); ++N) {
      std::string Path;
      for (ProfileBlockId B : P.tree().path(N))
        Path += char('a' + B);
      if (P.ofNode(N)[0])
        S[Path] += P.ofNode(N)[0];
    }
    return S;
  }

  ContextProfile P;
  ProfileStack Stack;
  Position At = 0;
};

std::map<std::string, uint64_t> run(const char *Program) {
  Calls C;
  C.run(Program);
  return C.sequences();
}

using Sequences = std::map<std::string, uint64_t>;

TEST(ContextTreeTest, RecursionOfOne) {
  EXPECT_EQ(run("abbbc"),
            (Sequences{{"a", 1}, {"ab", 1}, {"abb", 2}, {"abbc", 1}}));
}

TEST(ContextTreeTest, RecursionOfTwo) {
  EXPECT_EQ(run("ababc"),
            (Sequences{{"a", 1}, {"ab", 2}, {"aba", 1}, {"abc", 1}}));
}

TEST(ContextTreeTest, PathsAreNotConfused) {
  EXPECT_EQ(run("abc...ebcd"), (Sequences{{"a", 1},
                                          {"ab", 1},
                                          {"abc", 1},
                                          {"e", 1},
                                          {"eb", 1},
                                          {"ebc", 1},
                                          {"ebcd", 1}}));
  // What over-abstraction would make of it: a calls d.
  EXPECT_EQ(run("abc...dbe").count("abe"), 0u);
}

TEST(ContextTreeTest, ReturnsGoBackToTheRealCaller) {
  // The second b returns to the second a, which calls d; the tree had gone on
  // at the first b.
  EXPECT_EQ(run("abab.d"),
            (Sequences{{"a", 1}, {"ab", 2}, {"aba", 1}, {"abad", 1}}));
}

TEST(ContextTreeTest, TailCallsReplace) {
  EXPECT_EQ(run("ab>cd"),
            (Sequences{{"a", 1}, {"ab", 1}, {"ac", 1}, {"acd", 1}}));
  // A loop of tail calls is no deeper than one.
  EXPECT_EQ(run("ab>c>b>c>b"), (Sequences{{"a", 1}, {"ab", 3}, {"ac", 2}}));
}

TEST(ContextTreeTest, TheFlawAndTheRuleWithoutIt) {
  // d is lost from the stack of c...
  EXPECT_EQ(run("abdabc").at("abc"), 1u);
  // ...which the sums do not forget...
  Calls C;
  C.run("abdabc");
  EXPECT_EQ(C.P.dominated('d' - 'a')[0], 4u);
  // ...nor does the other rule.
  Calls K(ContextTree::Rule::KeepEdges);
  K.run("abdabc");
  EXPECT_EQ(K.sequences().at("abdabc"), 1u);
}

TEST(ContextTreeTest, KeepEdgesIsBounded) {
  Calls C(ContextTree::Rule::KeepEdges);
  std::string Long;
  for (unsigned I = 0; I < 10000; ++I)
    Long += "abd";
  C.run((Long + "c").c_str());
  EXPECT_LE(C.P.tree().nodes().size(), 10u);
}

/// Depth does not count, only which functions call which.
TEST(ContextTreeTest, DeepRecursion) {
  auto Deep = [](Calls &C, uint64_t Depth) {
    for (uint64_t I = 0; I < Depth; ++I) {
      // Each calls itself, the next one, and the one after that.
      C.Stack.push(ProfileBlockId((I + I / 3 % 2) % 5), I);
      C.Stack.sample(1);
    }
    C.Stack.popAll();
    for (ContextTree::NodeId N = 0; N < C.P.tree().nodes().size(); ++N)
      EXPECT_LE(C.P.tree().path(N).size(), 26u);
    EXPECT_EQ(C.P.total()[0], Depth);
  };
  Calls Some, Many;
  Deep(Some, 1000);
  Deep(Many, 1000000);
  EXPECT_EQ(Some.P.tree().nodes().size(), Many.P.tree().nodes().size());
  EXPECT_EQ(Some.P.bytes(), Many.P.bytes());
  EXPECT_LT(Many.P.bytes(), 16384u);
}

TEST(ContextTreeTest, DeepRandomRecursion) {
  Calls C;
  std::mt19937 Random(1);
  for (uint64_t I = 0; I < 1000000; ++I) {
    C.Stack.push(Random() % 5, I);
    C.Stack.sample(1);
  }
  C.Stack.popAll();
  size_t Longest = 0;
  for (ContextTree::NodeId N = 0; N < C.P.tree().nodes().size(); ++N)
    Longest = std::max(Longest, C.P.tree().path(N).size());
  EXPECT_LE(Longest, 26u);
}

} // namespace
