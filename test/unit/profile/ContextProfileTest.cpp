//===- ContextProfileTest.cpp ---------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random runs under random filters, against a model that looks at whole stacks,
// one sample at a time.
//
//===----------------------------------------------------------------------===//

#include "core/profile/ContextProfile.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace rw;

namespace {

using Path = std::vector<ProfileBlockId>;
using Edge = std::pair<ProfileBlockId, ProfileBlockId>;
using Costs = std::vector<uint64_t>;

struct Filter {
  std::vector<BlockRole> Roles;
  uint64_t Selections = 0;
};

struct Step {
  enum { Push, Pop, Replace, Sample } What;
  ProfileBlockId Block = 0;
  Costs Cost = {};
};

constexpr unsigned K = 2;

std::vector<Step> randomRun(std::mt19937 &Random, unsigned Blocks) {
  std::vector<Step> Run;
  unsigned Depth = 0, Length = 20 + Random() % 400, Deepest = 2 + Random() % 30;
  for (unsigned I = 0; I < Length; ++I) {
    unsigned Kind = Random() % 10;
    ProfileBlockId X = Random() % Blocks;
    if (Kind < 4 && Depth < Deepest) {
      Run.push_back({Step::Push, X});
      ++Depth;
    } else if (Kind < 6 && Depth) {
      Run.push_back({Step::Pop});
      --Depth;
    } else if (Kind == 6 && Depth) {
      Run.push_back({Step::Replace, X});
    } else {
      Run.push_back({Step::Sample, 0, {Random() % 5, Random() % 100}});
    }
  }
  return Run;
}

Filter randomFilter(std::mt19937 &Random, unsigned Blocks) {
  Filter F;
  F.Roles.resize(Blocks);
  for (unsigned N = Random() % 3; N > 0; --N) {
    unsigned Bit = Random() % 3;
    F.Selections |= 1u << Bit;
    F.Roles[Random() % Blocks].Selected |= 1u << Bit;
  }
  for (unsigned N = Random() % 3; N > 1; --N)
    F.Roles[Random() % Blocks].Excluded = true;
  for (unsigned N = Random() % 4; N > 0; --N)
    F.Roles[Random() % Blocks].Folded = true;
  return F;
}

/// The rule of the tree as it is told: on no path an edge twice.
Path cutShort(const Path &Stack) {
  Path Cut;
  for (ProfileBlockId X : Stack) {
    bool Found = false;
    for (size_t I = 1; I < Cut.size() && !Found; ++I)
      if (Cut[I - 1] == Cut.back() && Cut[I] == X) {
        Cut.resize(I + 1);
        Found = true;
      }
    if (!Found)
      Cut.push_back(X);
  }
  return Cut;
}

struct Activations {
  /// Start and cost of each, by the start.
  std::map<uint64_t, uint64_t> Cost;
  bool operator==(const Activations &) const = default;
};

/// What there is to know of a run.
struct Model {
  Costs Total = Costs(K);
  std::map<Path, Costs> Sequences;
  std::map<ProfileBlockId, Costs> Self, Dominated;
  std::map<Edge, Costs> Over;
  std::map<ProfileBlockId, Activations> OfBlock;
  std::map<Edge, Activations> OfEdge;
  std::map<Path, Activations> OfPath;
};

void add(Costs &To, const Costs &C) {
  To.resize(K);
  for (unsigned M = 0; M < K; ++M)
    To[M] += C[M];
}

Model bruteForce(const std::vector<Step> &Run, const Filter &F) {
  struct Frame {
    ProfileBlockId Block;
    uint64_t Start;
  };
  Model M;
  std::vector<Frame> Stack;
  uint64_t At = 0;
  for (const Step &S : Run) {
    switch (S.What) {
    case Step::Replace:
      Stack.pop_back();
      [[fallthrough]];
    case Step::Push:
      Stack.push_back({S.Block, At++});
      break;
    case Step::Pop:
      Stack.pop_back();
      break;
    case Step::Sample: {
      uint64_t Selected = 0;
      bool Excluded = false;
      Path Left;
      std::vector<uint64_t> Starts;
      for (const Frame &Fr : Stack) {
        Selected |= F.Roles[Fr.Block].Selected;
        Excluded |= F.Roles[Fr.Block].Excluded;
        if (F.Roles[Fr.Block].Folded)
          continue;
        Left.push_back(Fr.Block);
        Starts.push_back(Fr.Start);
      }
      if (Excluded || (Selected & F.Selections) != F.Selections)
        break;
      add(M.Total, S.Cost);
      add(M.Sequences[cutShort(Left)], S.Cost);
      if (!Left.empty())
        add(M.Self[Left.back()], S.Cost);
      for (ProfileBlockId X : std::set(Left.begin(), Left.end()))
        add(M.Dominated[X], S.Cost);
      std::set<Edge> Edges;
      for (size_t I = 0; I < Left.size(); ++I) {
        Edge E{I ? Left[I - 1] : NoProfileBlock, Left[I]};
        Edges.insert(E);
        M.OfBlock[Left[I]].Cost[Starts[I]] += S.Cost[0];
        M.OfEdge[E].Cost[Starts[I]] += S.Cost[0];
        Path Prefix = cutShort(Path(Left.begin(), Left.begin() + I + 1));
        M.OfPath[Prefix].Cost[Starts[I]] += S.Cost[0];
      }
      for (Edge E : Edges)
        add(M.Over[E], S.Cost);
      break;
    }
    }
  }
  return M;
}

ContextProfile sweep(const std::vector<Step> &Run, const Filter &F,
                     ContextTree::Rule R = ContextTree::Rule::EdgeOnce) {
  ContextProfile P(K, R, F.Selections);
  for (size_t X = 0; X < F.Roles.size(); ++X)
    P.setRole(ProfileBlockId(X), F.Roles[X]);
  ProfileStack Stack(P, 0, P.addRoot());
  uint64_t At = 0;
  for (const Step &S : Run)
    switch (S.What) {
    case Step::Push:
      Stack.push(S.Block, At++);
      break;
    case Step::Pop:
      Stack.pop();
      break;
    case Step::Replace:
      Stack.replace(S.Block, At++);
      break;
    case Step::Sample:
      Stack.sample(S.Cost);
      break;
    }
  Stack.popAll();
  return P;
}

void expectSame(const ActivationSummary &A, const Activations &True) {
  ASSERT_EQ(A.Count, True.Cost.size());
  if (True.Cost.empty())
    return;
  EXPECT_EQ(A.First.Start, True.Cost.begin()->first);
  auto Longest = True.Cost.begin();
  for (auto I = True.Cost.begin(); I != True.Cost.end(); ++I)
    if (I->second > Longest->second)
      Longest = I;
  EXPECT_EQ(A.Longest.Start, Longest->first);
  EXPECT_EQ(A.LongestCost, Longest->second);
}

template <typename Map, typename Key>
Costs valueIn(const Map &M, const Key &Of) {
  auto It = M.find(Of);
  return It == M.end() ? Costs(K) : It->second;
}

template <typename Map, typename Key>
Activations activationsIn(const Map &M, const Key &Of) {
  auto It = M.find(Of);
  return It == M.end() ? Activations() : It->second;
}

void compare(const ContextProfile &P, const Model &M) {
  EXPECT_EQ(P.total().vec(), M.Total);
  std::map<Path, Costs> Sequences;
  for (ContextTree::NodeId N = 0; N < P.tree().nodes().size(); ++N) {
    Path At = P.tree().path(N);
    ASSERT_EQ(cutShort(At), At);
    ASSERT_TRUE(Sequences.try_emplace(At, P.ofNode(N).vec()).second);
    EXPECT_EQ(P.ofNode(N).vec(), valueIn(M.Sequences, At));
    if (!At.empty())
      expectSame(P.atNode(N), activationsIn(M.OfPath, At));
  }
  Costs Sum(K);
  for (auto &[At, C] : M.Sequences) {
    EXPECT_EQ(valueIn(Sequences, At), C);
    add(Sum, C);
  }
  EXPECT_EQ(Sum, P.total().vec());
  std::vector<uint64_t> Self = P.selfOfBlocks();
  for (ProfileBlockId X = 0; X < P.numBlocks(); ++X) {
    EXPECT_EQ(Costs(&Self[X * K], &Self[X * K] + K), valueIn(M.Self, X));
    EXPECT_EQ(P.dominated(X).vec(), valueIn(M.Dominated, X));
    expectSame(P.ofBlock(X), activationsIn(M.OfBlock, X));
  }
  std::set<Edge> Seen;
  for (ContextTree::EdgeId E = 0; E < P.tree().edges().size(); ++E) {
    Edge Key{P.tree().edges()[E].From, P.tree().edges()[E].To};
    ASSERT_TRUE(Seen.insert(Key).second);
    EXPECT_EQ(P.over(E).vec(), valueIn(M.Over, Key));
    expectSame(P.ofEdge(E), activationsIn(M.OfEdge, Key));
  }
  for (auto &[Key, C] : M.Over)
    EXPECT_TRUE(Seen.count(Key));
}

TEST(ContextProfileTest, RandomRunsAndFilters) {
  for (unsigned Seed = 0; Seed < 1000; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    std::mt19937 Random(Seed);
    unsigned Blocks = 1 + Random() % 8;
    std::vector<Step> Run = randomRun(Random, Blocks);
    for (unsigned N = 0; N < 4; ++N) {
      Filter F;
      F.Roles.resize(Blocks);
      if (N)
        F = randomFilter(Random, Blocks);
      compare(sweep(Run, F), bruteForce(Run, F));
      if (testing::Test::HasFailure())
        return;
    }
  }
}

/// With the rule that keeps edges, the tree alone tells what was on the stack.
TEST(ContextProfileTest, KeepEdgesTellsAll) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    unsigned Blocks = 1 + Random() % 6;
    std::vector<Step> Run = randomRun(Random, Blocks);
    Filter F = randomFilter(Random, Blocks);
    Model M = bruteForce(Run, F);
    ContextProfile P = sweep(Run, F, ContextTree::Rule::KeepEdges);
    std::map<ProfileBlockId, Costs> Dominated;
    std::map<Edge, Costs> Over;
    for (ContextTree::NodeId N = 0; N < P.tree().nodes().size(); ++N) {
      Path At = P.tree().path(N);
      EXPECT_LE(At.size(), (Blocks * Blocks + Blocks) * Blocks);
      for (ProfileBlockId X : std::set(At.begin(), At.end()))
        add(Dominated[X], P.ofNode(N).vec());
      std::set<Edge> Edges;
      for (size_t I = 0; I < At.size(); ++I)
        Edges.insert({I ? At[I - 1] : NoProfileBlock, At[I]});
      for (Edge E : Edges)
        add(Over[E], P.ofNode(N).vec());
    }
    for (auto &[X, C] : M.Dominated)
      EXPECT_EQ(valueIn(Dominated, X), C);
    for (auto &[E, C] : M.Over)
      EXPECT_EQ(valueIn(Over, E), C);
    EXPECT_EQ(P.total().vec(), M.Total);
  }
}

/// Folding one after the other, in whatever order, is folding all at once.
TEST(ContextProfileTest, FoldingKnowsNoOrder) {
  for (unsigned Seed = 0; Seed < 300; ++Seed) {
    std::mt19937 Random(Seed);
    unsigned Blocks = 3 + Random() % 5;
    std::vector<Step> Run = randomRun(Random, Blocks);
    Filter All;
    All.Roles.resize(Blocks);
    std::vector<ProfileBlockId> Folded;
    for (ProfileBlockId X = 0; X < Blocks; ++X)
      if (Random() % 2) {
        Folded.push_back(X);
        All.Roles[X].Folded = true;
      }
    std::shuffle(Folded.begin(), Folded.end(), Random);
    // To fold a block is to take it out of the run.
    std::vector<Step> Rest = Run;
    for (ProfileBlockId X : Folded) {
      std::vector<Step> Less;
      std::vector<bool> Gone; // by level
      for (const Step &S : Rest) {
        if (S.What == Step::Sample) {
          Less.push_back(S);
          continue;
        }
        if (S.What != Step::Push) {
          if (!Gone.back())
            Less.push_back({Step::Pop});
          Gone.pop_back();
        }
        if (S.What != Step::Pop) {
          Gone.push_back(S.Block == X);
          if (S.Block != X)
            Less.push_back({Step::Push, S.Block});
        }
      }
      Rest = Less;
    }
    auto Sequences = [](const ContextProfile &P) {
      std::map<Path, Costs> S;
      for (ContextTree::NodeId N = 0; N < P.tree().nodes().size(); ++N)
        if (P.ofNode(N).vec() != Costs(K))
          S[P.tree().path(N)] = P.ofNode(N).vec();
      return S;
    };
    Filter None;
    None.Roles.resize(Blocks);
    EXPECT_EQ(Sequences(sweep(Run, All)), Sequences(sweep(Rest, None)));
  }
}

/// Each activation is told of once, in order.
TEST(ContextProfileTest, ActivationsInOrder) {
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    std::mt19937 Random(Seed);
    unsigned Blocks = 1 + Random() % 6;
    std::vector<Step> Run = randomRun(Random, Blocks);
    Filter F = randomFilter(Random, Blocks);
    Model M = bruteForce(Run, F);
    std::map<ProfileBlockId, std::vector<uint64_t>> Starts;
    ContextProfile P(K, ContextTree::Rule::EdgeOnce, F.Selections);
    for (size_t X = 0; X < F.Roles.size(); ++X)
      P.setRole(ProfileBlockId(X), F.Roles[X]);
    P.OnActivation = [&](ContextTree::NodeId N, ContextTree::EdgeId E,
                         ActivationSummary::Place A) {
      EXPECT_EQ(P.tree().nodes()[N].Block, P.tree().edges()[E].To);
      Starts[P.tree().nodes()[N].Block].push_back(A.Start);
    };
    ProfileStack Stack(P, 0, P.addRoot());
    uint64_t At = 0;
    for (const Step &S : Run)
      if (S.What == Step::Sample)
        Stack.sample(S.Cost);
      else if (S.What == Step::Pop)
        Stack.pop();
      else if (S.What == Step::Push)
        Stack.push(S.Block, At++);
      else
        Stack.replace(S.Block, At++);
    Stack.popAll();
    for (auto &[X, A] : M.OfBlock) {
      std::vector<uint64_t> True;
      for (auto &[Start, Cost] : A.Cost)
        True.push_back(Start);
      EXPECT_EQ(Starts[X], True);
    }
    compare(P, M);
  }
}

} // namespace
