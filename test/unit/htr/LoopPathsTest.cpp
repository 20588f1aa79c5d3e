//===- LoopPathsTest.cpp - The ways through a loop's body -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/LoopPaths.h"
#include "HtrTestUtil.h"
#include <map>
#include <tuple>

using namespace llvm;
using namespace rw;
using namespace rw::htr;

namespace {

/// What is known of rounds that took the same steps, as text.
struct NaivePath {
  uint64_t Rounds = 0, Last = 0, Instructions = 0, Own = 0;
  uint64_t Least = ~uint64_t(0), Most = 0;
  Place First = ~uint64_t(0);

  auto facts() const {
    return std::tuple(Rounds, Last, Instructions, Own, Least, Most, First);
  }
};

struct NaiveLoop {
  std::map<std::string, NaivePath> Paths;
  uint64_t Own = 0, InLoops = 0, InCalls = 0;
  uint64_t Tests = 0;
  Place FirstTest = ~uint64_t(0);
};

/// Goes through every execution of everything, round by round.
class Walk {
public:
  explicit Walk(const Hierarchy &H) : H(H) {}
  std::map<BlockId, NaiveLoop> Loops; ///< by header

  void sequence(const UnitSeq &Units, Place P) {
    for (BlockId B : Units) {
      unit(B, P);
      P += H.Dict.Length[B];
    }
  }

private:
  const Hierarchy &H;

  void unit(BlockId B, Place P) {
    const BlockKind Kind = H.Dict.Kind[B];
    if (Kind <= BlockKind::Break)
      return;
    if (Kind == BlockKind::Iterations && LoopFacts::unpack(H.Dict.Value[B]))
      stay(B, P);
    for (uint64_t K = Kind == BlockKind::Repeat ? H.Dict.Value[B] : 1; K > 0;
         --K) {
      sequence(H.parts(B, H.top()), P);
      P += H.Dict.Length[B] / (Kind == BlockKind::Repeat ? H.Dict.Value[B] : 1);
    }
  }

  void stay(BlockId B, Place P) {
    const LoopFacts F = *LoopFacts::unpack(H.Dict.Value[B]);
    std::vector<BlockId> Rounds;
    for (BlockId Part : H.body(B))
      if (H.Dict.Kind[Part] == BlockKind::Repeat)
        Rounds.insert(Rounds.end(), H.Dict.Value[Part], H.body(Part)[0]);
      else
        Rounds.push_back(Part);
    NaiveLoop &L = Loops[F.Header];
    for (size_t K = 0; K < Rounds.size(); ++K) {
      std::string Steps;
      const uint64_t Before = L.Own;
      steps(Rounds[K], L, Steps);
      const bool Last = K + 1 == Rounds.size();
      const uint64_t Length = H.Dict.Length[Rounds[K]];
      if (!Last || !F.EndsInTest) {
        NaivePath &N = L.Paths[Steps];
        ++N.Rounds;
        N.Last += Last;
        N.Instructions += Length;
        N.Own = L.Own - Before;
        N.Least = std::min(N.Least, Length);
        N.Most = std::max(N.Most, Length);
        N.First = std::min(N.First, P);
      } else {
        ++L.Tests;
        L.FirstTest = std::min(L.FirstTest, P);
      }
      P += Length;
    }
  }

  void steps(BlockId B, NaiveLoop &L, std::string &Out) {
    switch (H.Dict.Kind[B]) {
    case BlockKind::Instruction:
      ++L.Own;
      Out += char(H.Dict.Value[B]);
      break;
    case BlockKind::Break:
      break;
    case BlockKind::Function:
      L.InCalls += H.Dict.Length[B];
      Out += std::string("(") + char(H.Dict.Value[H.Dict.Entry[B]]) + ")";
      break;
    case BlockKind::Repeat:
    case BlockKind::Iterations: {
      L.InLoops += H.Dict.Length[B];
      const auto F = H.Dict.Kind[B] == BlockKind::Iterations
                         ? LoopFacts::unpack(H.Dict.Value[B])
                         : std::nullopt;
      Out += std::string("{") +
             char(H.Dict.Value[F ? F->Header : H.Dict.Entry[B]]) + "}";
      break;
    }
    case BlockKind::Sequence:
      for (BlockId P : H.body(B))
        steps(P, L, Out);
    }
  }
};

/// "a", "{a}" for a loop, "(a)" for a call, "." for an end.
std::string letter(const HtrFile &File, PathStep S) {
  if (S.At == NoBlock)
    return ".";
  const std::string At(1, char(File.block(S.At).Value));
  return S.What == PathStep::Loop   ? "{" + At + "}"
         : S.What == PathStep::Call ? "(" + At + ")"
                                    : At;
}

/// "a>b" for each choice of a path, in order.
std::string choices(const HtrFile &File, const LoopPath &P) {
  std::string Text;
  for (const PathChoice &C : P.Choices)
    Text += letter(File, C.After) + ">" + letter(File, C.To) + " ";
  return Text;
}

} // namespace

TEST(LoopPaths, AreThoseOfEveryRound) {
  std::mt19937 Random(31);
  const char *Pipelines[] = {"functions,bsb,flow-loops", "functions,flow-loops",
                             "bsb,flow-loops", "grammar,flow-loops"};
  unsigned Several = 0, Tests = 0;
  for (unsigned Round = 0; Round < 300; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    Walk Expected(T.H);
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th)
      Expected.sequence(T.H.top().sequence(Th), File->placeOf(Th, 0));
    for (BlockId B = File->layer(0).EndBlock; B < File->numBlocks(); ++B) {
      const auto F = File->loopFacts(B);
      if (!F || !File->block(B).Occurrences)
        continue;
      const NaiveLoop &N = Expected.Loops[F->Header];
      auto Found = loopPaths(*File, staysOf(*File, B));
      ASSERT_TRUE(bool(Found));
      EXPECT_EQ(Found->Own, N.Own);
      EXPECT_EQ(Found->InLoops, N.InLoops);
      EXPECT_EQ(Found->InCalls, N.InCalls);
      EXPECT_EQ(Found->Tests, N.Tests);
      EXPECT_EQ(Found->FirstTest, N.FirstTest);
      Tests += N.Tests;
      uint64_t Sum = Found->TestInstructions;
      for (const LoopPath &P : Found->Paths)
        Sum += P.Instructions;
      EXPECT_EQ(Sum, N.Own + N.InLoops + N.InCalls);
      using Facts = decltype(NaivePath().facts());
      std::multiset<Facts> A, C;
      uint64_t Rounds = 0;
      for (auto &[Steps, P] : N.Paths) {
        A.insert(P.facts());
        Rounds += P.Rounds;
      }
      for (const LoopPath &P : Found->Paths)
        C.insert({P.Rounds, P.Last, P.Instructions, P.Own, P.Least, P.Most,
                  P.First});
      ASSERT_EQ(A, C) << text(T.H, 0, 0);
      ASSERT_EQ(Found->Rounds, Rounds);
      // Paths differ in what they chose, and in nothing else.
      std::set<std::string> Ways;
      for (const LoopPath &P : Found->Paths)
        Ways.insert(choices(*File, P));
      ASSERT_EQ(Ways.size(), Found->Paths.size());
      ASSERT_EQ(Found->main() != nullptr, Found->Paths.size() > 1);
      Several += Found->Paths.size() > 1;
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(Several, 500u);
  EXPECT_GT(Tests, 500u);
}

TEST(LoopPaths, TellTheBranchThatChose) {
  // Tested at its end, and left in its middle once.
  TestTrace T("s ht hbt ht hb e");
  T.run("flow-loops");
  auto File = fileOf(T.H);
  ASSERT_TRUE(File);
  for (BlockId B = 0; B < File->numBlocks(); ++B) {
    if (!File->loopFacts(B))
      continue;
    auto L = loopPaths(*File, staysOf(*File, B));
    ASSERT_TRUE(bool(L));
    ASSERT_EQ(L->Paths.size(), 3u);
    EXPECT_EQ(L->Paths[0].Rounds, 2u);
    EXPECT_EQ(choices(*File, L->Paths[0]), "h>t ");
    EXPECT_EQ(choices(*File, L->Paths[1]), "h>b b>t ");
    EXPECT_EQ(choices(*File, L->Paths[2]), "h>b b>. ");
    EXPECT_EQ(L->Paths[2].Last, 1u);
    ASSERT_EQ(L->Choices.size(), 2u);
    EXPECT_EQ(letter(*File, L->main()->After), "h");
  }
}

// In an irreducible loop, h b c with entries h and b, a round comes to a step
// again and again: it counts once for each way that it goes.
TEST(LoopPaths, ARoundMayComeByAgain) {
  TestTrace T("m(s hcbcbc hbc hbcbcbc e)n(s bc hbc e)o");
  T.run("functions,flow-loops");
  auto File = fileOf(T.H);
  ASSERT_TRUE(File);
  unsigned Loops = 0;
  for (BlockId B = 0; B < File->numBlocks(); ++B) {
    if (const auto F = File->loopFacts(B); !F || !F->Irreducible)
      continue;
    ++Loops;
    auto L = loopPaths(*File, staysOf(*File, B));
    ASSERT_TRUE(bool(L));
    EXPECT_EQ(L->Rounds, 5u);
    std::map<std::string, uint64_t> Ways;
    for (const LoopChoice &C : L->Choices)
      for (auto [To, Rounds] : C.Ways)
        Ways[letter(*File, C.After) + ">" + letter(*File, To)] = Rounds;
    EXPECT_EQ(Ways, (std::map<std::string, uint64_t>{{"h>b", 3},
                                                     {"h>c", 1},
                                                     {".>h", 4},
                                                     {".>b", 1},
                                                     {"c>b", 2},
                                                     {"c>.", 5}}));
  }
  EXPECT_EQ(Loops, 2u);
}

// One function, called from two places of a round: no choice. A place that
// calls several functions is one.
TEST(LoopPaths, CallsOfOneFunctionFromSeveralPlaces) {
  TestTrace T("s h(f)b(f)c h(f)b(f)c h(f)b(g)c e");
  T.run("functions,flow-loops");
  auto File = fileOf(T.H);
  ASSERT_TRUE(File);
  for (BlockId B = 0; B < File->numBlocks(); ++B) {
    if (!File->loopFacts(B))
      continue;
    auto L = loopPaths(*File, staysOf(*File, B));
    ASSERT_TRUE(bool(L));
    ASSERT_EQ(L->Paths.size(), 2u);
    EXPECT_EQ(choices(*File, L->Paths[0]), "b>(f) ");
    EXPECT_EQ(choices(*File, L->Paths[1]), "b>(g) ");
  }
}
