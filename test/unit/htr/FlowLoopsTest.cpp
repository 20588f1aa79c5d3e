//===- FlowLoopsTest.cpp - Loops by control flow --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/htr/passes/LoopForest.h"
#include <map>
#include <random>
#include <set>

using namespace rw;
using namespace rw::htr;

namespace {

using Nodes = std::set<uint32_t>;

/// A flow graph as tables, slowly.
struct NaiveGraph {
  uint32_t N;
  std::set<std::pair<uint32_t, uint32_t>> Edges;
  std::set<uint32_t> Roots;

  Nodes reach(const Nodes &From, uint32_t Without) const {
    Nodes Seen;
    std::vector<uint32_t> Queue(From.begin(), From.end());
    while (!Queue.empty()) {
      uint32_t V = Queue.back();
      Queue.pop_back();
      if (V == Without || !Seen.insert(V).second)
        continue;
      for (auto [A, B] : Edges)
        if (A == V)
          Queue.push_back(B);
    }
    return Seen;
  }
  bool dominates(uint32_t A, uint32_t B) const {
    return A == B || !reach(Roots, A).count(B);
  }
  /// By header: the text-book's natural loops, back edges to one taken
  /// together.
  std::map<uint32_t, Nodes> naturalLoops() const {
    std::map<uint32_t, Nodes> Loops;
    for (auto [Tail, Head] : Edges) {
      if (!dominates(Head, Tail))
        continue;
      Nodes &Body = Loops[Head];
      Body.insert(Head);
      std::vector<uint32_t> Queue{Tail};
      while (!Queue.empty()) {
        uint32_t V = Queue.back();
        Queue.pop_back();
        if (!Body.insert(V).second)
          continue;
        for (auto [A, B] : Edges)
          if (B == V)
            Queue.push_back(A);
      }
    }
    return Loops;
  }
  /// Nodes that lie on a cycle without natural back edges: there, and only
  /// there, is an irreducible loop.
  Nodes irreducible() const {
    NaiveGraph Rest = *this;
    for (auto E : Edges)
      if (dominates(E.second, E.first))
        Rest.Edges.erase(E);
    Nodes Found;
    for (uint32_t V = 0; V < N; ++V) {
      Nodes Next;
      for (auto [A, B] : Rest.Edges)
        if (A == V)
          Next.insert(B);
      if (Rest.reach(Next, ~0u).count(V))
        Found.insert(V);
    }
    return Found;
  }
};

LoopForest forestOf(const NaiveGraph &G) {
  FlowGraph Flow;
  Flow.Edges.assign(G.Edges.begin(), G.Edges.end());
  Flow.Root.assign(G.N, 0);
  for (uint32_t R : G.Roots)
    Flow.Root[R] = 1;
  auto F = findLoops(Flow, {});
  EXPECT_TRUE(bool(F));
  return std::move(*F);
}

std::map<uint32_t, Nodes> bodies(const LoopForest &F, bool Irreducible) {
  std::map<uint32_t, Nodes> Loops;
  for (uint32_t L = 0; L < F.Loops.size(); ++L) {
    if (F.Loops[L].Irreducible != Irreducible)
      continue;
    EXPECT_FALSE(Loops.count(F.Loops[L].Header)) << "two loops of one header";
    Nodes &Body = Loops[F.Loops[L].Header];
    for (uint32_t V = 0; V < F.Innermost.size(); ++V)
      if (F.Innermost[V] != FlowLoop::None && F.contains(L, F.Innermost[V]))
        Body.insert(V);
  }
  return Loops;
}

/// A walk over a random graph, from its entry on: nodes that nobody reaches
/// are in no trace.
NaiveGraph randomGraph(std::mt19937 &Random, std::vector<BlockId> &Walk) {
  const uint32_t N = 2 + Random() % 14;
  std::vector<std::vector<uint32_t>> Succ(N);
  for (uint32_t V = 0; V < N; ++V) {
    Succ[V].push_back(Random() % 3 ? (V + 1) % N : Random() % N);
    if (Random() % 2)
      Succ[V].push_back(Random() % N);
  }
  std::map<uint32_t, uint32_t> Number;
  uint32_t V = 0;
  for (unsigned Step = 1 + Random() % 300; Step > 0; --Step) {
    Walk.push_back(Number.try_emplace(V, Number.size()).first->second);
    V = Succ[V][Random() % Succ[V].size()];
  }
  NaiveGraph G{uint32_t(Number.size()), {}, {0}};
  for (size_t I = 1; I < Walk.size(); ++I)
    G.Edges.insert({Walk[I - 1], Walk[I]});
  return G;
}

std::string flow(const std::string &Trace, const char *Passes = "flow-loops") {
  TestTrace T(Trace);
  T.run(Passes);
  expectLossless(T.H);
  return top(T);
}

/// Trips of the loop whose rounds begin with a letter, one number a stay.
std::vector<uint64_t> trips(const Hierarchy &H, char Header) {
  std::vector<uint64_t> Result;
  const Layer &L = H.top();
  std::function<void(BlockId)> walk = [&](BlockId B) {
    if (H.Dict.Kind[B] == BlockKind::Iterations)
      if (auto F = LoopFacts::unpack(H.Dict.Value[B]);
          F && H.Dict.Value[F->Header] == uint64_t(Header)) {
        uint64_t Rounds = 0;
        for (BlockId P : H.body(B))
          Rounds += H.Dict.Kind[P] == BlockKind::Repeat ? H.Dict.Value[P] : 1;
        Result.push_back(Rounds - F->EndsInTest);
      }
    if (H.Dict.Kind[B] <= BlockKind::Break)
      return;
    for (uint64_t K = H.Dict.Kind[B] == BlockKind::Repeat ? H.Dict.Value[B] : 1;
         K > 0; --K)
      for (BlockId P : H.parts(B, L))
        walk(P);
  };
  for (BlockId B : L.sequence(0))
    walk(B);
  return Result;
}

} // namespace

TEST(LoopForest, IsTheTextBooksOnRandomGraphs) {
  std::mt19937 Random(7);
  unsigned Natural = 0, Irreducible = 0;
  for (unsigned Round = 0; Round < 3000; ++Round) {
    std::vector<BlockId> Walk;
    NaiveGraph G = randomGraph(Random, Walk);
    LoopForest F = forestOf(G);
    auto Expected = G.naturalLoops();
    ASSERT_EQ(bodies(F, false), Expected) << "round " << Round;
    Natural += Expected.size();
    // Each cycle that no natural loop explains is in an irreducible one, and
    // none is there without such a cycle.
    Nodes Cyclic = G.irreducible(), Found;
    for (auto &[Header, Body] : bodies(F, true)) {
      ++Irreducible;
      Nodes Common;
      for (uint32_t V : Body)
        if (Cyclic.count(V))
          Common.insert(V);
      EXPECT_FALSE(Common.empty());
      Found.insert(Common.begin(), Common.end());
    }
    ASSERT_EQ(Found, Cyclic) << "round " << Round;
  }
  EXPECT_GT(Natural, 3000u);
  EXPECT_GT(Irreducible, 300u);
}

// Two ways in, each to a node with a loop of its own.
TEST(LoopForest, NaturalLoopsInsideAnIrreducibleOne) {
  LoopForest F =
      forestOf({3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 1}, {2, 2}}, {0}});
  EXPECT_EQ(bodies(F, true), (std::map<uint32_t, Nodes>{{1, {1, 2}}}));
  EXPECT_EQ(bodies(F, false), (std::map<uint32_t, Nodes>{{1, {1}}, {2, {2}}}));
}

// Nested as deep as a trace is long: cut off, neither slow nor a crash.
TEST(LoopForest, DepthIsBounded) {
  const uint32_t N = 20000;
  FlowGraph G;
  G.Root.assign(N, 0);
  G.Root[0] = 1;
  for (uint32_t V = 0; V + 1 < N; ++V) {
    G.Edges.push_back({V, V + 1});
    G.Edges.push_back({V + 1, V});
  }
  auto F = findLoops(G, {});
  ASSERT_TRUE(bool(F));
  EXPECT_EQ(F->Loops.size(), MaxLoopDepth);
}

TEST(FlowLoops, NoLoop) {
  EXPECT_EQ(flow("abcdef"), "a b c d e f");
  EXPECT_EQ(flow("a"), "a");
}

TEST(FlowLoops, RoundsMayDiffer) {
  EXPECT_EQ(flow("s habt hbt hat e"), "s {(habt)|(hbt)|(hat)} e");
}

TEST(FlowLoops, EqualRoundsAreCounted) {
  EXPECT_EQ(flow("xaaay"), "x {3xa} y");
  EXPECT_EQ(flow("s ht ht ht hat ht h e"), "s {3x(ht)|(hat)|(ht)|h} e");
}

// The inner loop's rounds vary; the outer loop is one all the same.
TEST(FlowLoops, Triangle) {
  TestTrace T("o it it j o it j o it it it j o j e");
  T.run("flow-loops");
  expectLossless(T.H);
  EXPECT_EQ(top(T), "{(o{2x(it)}j)|(o{(it)}j)|(o{3x(it)}j)|(oj)} e");
  EXPECT_EQ(trips(T.H, 'o'), (std::vector<uint64_t>{4}));
  EXPECT_EQ(trips(T.H, 'i'), (std::vector<uint64_t>{2, 1, 3}));
}

// while (h) { b; if (c) continue; d; }: the last h is no trip.
TEST(FlowLoops, TheLastTestIsNoTrip) {
  TestTrace T("s hbcd hbc hbcd h e");
  T.run("flow-loops");
  EXPECT_EQ(trips(T.H, 'h'), (std::vector<uint64_t>{3}));
  // Left by a break.
  TestTrace B("s hbcd hbc e x s hbcd h e");
  B.run("flow-loops");
  EXPECT_EQ(trips(B.H, 'h'), (std::vector<uint64_t>{2, 1}));
  // Not even one.
  TestTrace Z("s h e s hb h e");
  Z.run("flow-loops");
  EXPECT_EQ(trips(Z.H, 's'), (std::vector<uint64_t>{2}));
  EXPECT_EQ(trips(Z.H, 'h'), (std::vector<uint64_t>{0, 1}));
}

// Letters are addresses. A loop with its test at the bottom, "xy", which never
// failed: it was left in the middle of the body, after "abc", from where it
// goes forward in memory. More than half of its code ran: a round.
TEST(FlowLoops, ASearchWithItsTestBelow) {
  for (const char *Passes : {"flow-loops", "bsb,flow-loops"}) {
    TestTrace T("s xyabcd xyabcd xyabc e");
    T.run(Passes);
    expectLossless(T.H);
    EXPECT_EQ(trips(T.H, 'x'), (std::vector<uint64_t>{3})) << Passes;
    // The test itself goes back to the body, however short that is.
    TestTrace W("s vwxya vwxya vwxy z");
    W.run(Passes);
    EXPECT_EQ(trips(W.H, 'v'), (std::vector<uint64_t>{2})) << Passes;
  }
}

// do { h; if (x) break; t; } while (c): left in the middle it was a trip.
TEST(FlowLoops, TestedAtTheEnd) {
  TestTrace T("s ht ht h e s ht ht ht e");
  T.run("flow-loops");
  EXPECT_EQ(trips(T.H, 'h'), (std::vector<uint64_t>{3, 3}));
}

// What encodings tell: which letters write memory, and where branches go.
void describe(TestTrace &T, llvm::StringRef Writers,
              std::map<char, std::pair<char, char>> Branches = {}) {
  for (BlockId B = 0; B < T.H.Dict.size(); ++B) {
    const char C = char(T.H.Dict.Value[B]);
    InsnFacts F;
    F.Memory = Writers.contains(C) ? Writes::Yes : Writes::No;
    if (auto I = Branches.find(C); I != Branches.end()) {
      F.Jumps = true;
      F.Ways = I->second;
    }
    T.H.Facts.push_back(F);
  }
}

// while (h && i) { w; if (c) break; d; }, whatever of it a compiler moved.
TEST(FlowLoops, ATestWritesNothing) {
  for (const char *Passes : {"flow-loops", "bsb,flow-loops"}) {
    TestTrace A("s hiwcd hiwcd hi e s hiwcd h e s hiwcd hiwc e");
    describe(A, "w");
    A.run(Passes);
    EXPECT_EQ(trips(A.H, 'h'), (std::vector<uint64_t>{2, 1, 2})) << Passes;
    // The first operand is tested at the end.
    TestTrace B("s iwcdh iwcdh i e s iwcdh e s iwcdh iwc e s i e");
    describe(B, "w");
    B.run(Passes);
    EXPECT_EQ(trips(B.H, 'i'), (std::vector<uint64_t>{2, 1, 2, 0})) << Passes;
  }
  // A way that writes nothing goes round, too: that tells nothing. Most of the
  // code comes before the branch.
  TestTrace C("s habd habwd hab e s hab e");
  describe(C, "w");
  C.run("flow-loops");
  EXPECT_EQ(trips(C.H, 'h'), (std::vector<uint64_t>{3, 1}));
}

// The test is below the body, xy or, compound, xyz; it may write.
TEST(FlowLoops, ATestBelowTheBody) {
  TestTrace A("s xyab xyab xy e s x e s xyab xya e");
  describe(A, "xb", {{'x', {'~', 'y'}}, {'y', {'a', 'z'}}});
  A.run("bsb,flow-loops");
  EXPECT_EQ(trips(A.H, 'x'), (std::vector<uint64_t>{2, 0, 2}));
  // It never failed: it is no unit of its own, nor what leaves the body.
  TestTrace B("s xyab xyab xya e");
  describe(B, "b", {{'y', {'a', 'z'}}});
  B.run("bsb,flow-loops");
  EXPECT_EQ(trips(B.H, 'x'), (std::vector<uint64_t>{3}));
}

// Clang's "while" of -O0: the way out is followed by a jump to the body, d.
TEST(FlowLoops, AJumpBehindTheTest) {
  for (bool Jump : {true, false}) {
    TestTrace A("s abcdew abcdew abc z");
    describe(A, "aw", {{'c', {'z', 'd'}}});
    for (BlockId B = 0; B < A.H.Dict.size(); ++B)
      A.H.Facts[B].Jumps |= Jump && A.H.Dict.Value[B] == 'd';
    A.run("bsb,flow-loops");
    EXPECT_EQ(trips(A.H, 'a'), (std::vector<uint64_t>{Jump ? 2u : 3u}));
  }
}

// Code that is not optimised has no value in a register when a round begins,
// and compilers' loops can be told apart. Written is k.
TEST(FlowLoops, NotOptimised) {
  enum { NoRegister, Carried };
  auto check = [](llvm::StringRef Trace,
                  std::map<char, std::pair<char, char>> Branches,
                  std::vector<uint64_t> Plain, std::vector<uint64_t> Optimised,
                  llvm::StringRef Nops = "") {
    for (auto Register : {NoRegister, Carried}) {
      TestTrace T(Trace.str());
      describe(T, "k", Branches);
      for (BlockId B = 0; B < T.H.Dict.size(); ++B) {
        const char C = char(T.H.Dict.Value[B]);
        T.H.Facts[B].Nop = Nops.contains(C);
        T.H.Facts[B].Registers.emplace();
        // h loads and k stores it; or c counts in another.
        if (C == 'h')
          T.H.Facts[B].Registers->Writes = 1;
        if (C == 'k')
          T.H.Facts[B].Registers->Reads = 1;
        if (C == 'l' && Register == Carried)
          T.H.Facts[B].Registers = {2, 2};
      }
      T.run("bsb,flow-loops");
      EXPECT_EQ(trips(T.H, 'h'), Register == Carried ? Optimised : Plain)
          << Trace.str();
    }
  };
  // do { if (h) break; k; } while (l): it was left before it wrote.
  check("s hikl hikl hi z", {{'i', {'z', 'k'}}, {'l', {'h', 'z'}}}, {3}, {2});
  // while (h) { k; if (l) break; } with the test below the body.
  check("s hi akl hi akl hi z s hi akl z",
        {{'i', {'a', 'j'}}, {'l', {'z', 'h'}}}, {2, 1}, {2, 1});
  // for (;;) { if (h) break; k; l } of GCC, and while (!h) { k; l } of Clang.
  check("s hikl hikl hi y", {{'i', {'y', 'k'}}}, {3}, {2}, "y");
  check("s hikl hikl hi y", {{'i', {'y', 'k'}}}, {2}, {2});
  // do { if (h) longjmp(); k; } while (l), to z.
  check("s hikl hikl hic z", {{'i', {'c', 'k'}}, {'l', {'h', 'z'}}}, {3}, {2});
}

// "popeq {pc}": the round in which the function returns. What cuts an
// activation off does not.
TEST(FlowLoops, AReturnIsAWayOut) {
  TestTrace A("m(fhrwb hrwb hr) m(fhrwb hrw)");
  describe(A, "w", {{'r', {'~', 'w'}}});
  A.run("functions,bsb,flow-loops");
  EXPECT_EQ(trips(A.H, 'h'), (std::vector<uint64_t>{2, 2}));
}

// Calls belong to the loop, whatever they did; the function's own loop is its.
TEST(FlowLoops, CallsAndRecursion) {
  EXPECT_EQ(flow("s h(fa)t h(fab)t e", "functions,flow-loops"),
            "s {(hf[fa]t)|(hf[fab]t)} e");
  // Each activation is one: calls of itself are no loop.
  TestTrace T("s(fb(fb(fbz)z)z)e");
  PassOptions Deep;
  Deep.Recursion = 1000;
  T.run("functions,flow-loops", Deep);
  EXPECT_EQ(top(T), "s f[fbf[fbf[fbz]z]z] e");
  TestTrace L("s(f i i(fz) i(f i z)z)e");
  L.run("functions,flow-loops", Deep);
  expectLossless(L.H);
  EXPECT_EQ(top(L), "s f[f{i|(if[fz])|(if[f{i}z])}z] e");
}

// What is called too deep to be a block is code of the innermost activation,
// and makes loops there, but in no other activation.
TEST(FlowLoops, TooDeep) {
  TestTrace T("s(fa(fb)c)t(fab)u(fac)e");
  PassOptions Flat;
  Flat.Recursion = 1;
  T.run("functions,flow-loops", Flat);
  expectLossless(T.H);
  const std::string Text = top(T);
  EXPECT_EQ(Text.find("s f[{"), 0u) << Text;
  EXPECT_NE(Text.find(" t f[fab] u f[fac] e"), std::string::npos) << Text;
}

TEST(FlowLoops, AGapEndsThem) {
  EXPECT_EQ(flow("s ht ht ! ht ht e"), "s {2x(ht)} ! {2x(ht)} e");
  // Nobody knows where the first round after it began.
  TestTrace T("s hat hat ! at hat e");
  T.run("flow-loops");
  expectLossless(T.H);
  EXPECT_EQ(top(T), "s {2x(hat)} ! {(at)|(hat)} e");
}

TEST(FlowLoops, APauseDoesNot) {
  TestTrace T("s ht e");
  Hierarchy &H = T.H;
  H = {};
  Layer &L = H.beginLayer("instructions");
  BlockId Head = H.addLeaf(BlockKind::Instruction, 'h'),
          Tail = H.addLeaf(BlockKind::Instruction, 't'),
          Pause = H.addLeaf(BlockKind::Break, uint64_t(EventKind::Pause));
  L.Units.append(
      std::vector<BlockId>{Head, Pause, Tail, Head, Tail, Head, Pause, Tail});
  L.Units.endSequence();
  H.ThreadBase.push_back(6);
  H.endLayer();
  T.run("flow-loops");
  expectLossless(H);
  EXPECT_EQ(top(T), "{(h!t)|(ht)|(h!t)}");
}

// Rounds of an irreducible loop begin at the entry that came first.
TEST(FlowLoops, Irreducible) {
  TestTrace T("s abab e s b a b e");
  T.run("flow-loops");
  expectLossless(T.H);
  bool Any = false;
  for (BlockId B = 0; B < T.H.Dict.size(); ++B)
    if (T.H.Dict.Kind[B] == BlockKind::Iterations)
      if (auto F = LoopFacts::unpack(T.H.Dict.Value[B]); F->Irreducible) {
        EXPECT_EQ(T.H.Dict.Value[F->Header], uint64_t('a'));
        Any = true;
      }
  EXPECT_TRUE(Any);
}

// Stays and rounds, found by walking with a stack of the loops one is in.
TEST(FlowLoops, RoundsOfRandomWalks) {
  std::mt19937 Random(99);
  for (unsigned Round = 0; Round < 2000; ++Round) {
    std::vector<BlockId> Walk;
    NaiveGraph G = randomGraph(Random, Walk);
    TestTrace T(llvm::ArrayRef<std::vector<BlockId>>(Walk), G.N);
    T.run("flow-loops");
    expectLossless(T.H);
    if (HasFatalFailure())
      return;
    std::map<uint32_t, std::multiset<uint64_t>> Expected, Found;
    for (auto &[Header, Body] : G.naturalLoops()) {
      uint64_t Rounds = 0;
      for (uint32_t V : Walk) {
        if (!Body.count(V)) {
          if (Rounds)
            Expected[Header].insert(Rounds);
          Rounds = 0;
        } else if (V == Header) {
          ++Rounds;
        }
      }
      if (Rounds)
        Expected[Header].insert(Rounds);
    }
    const Layer &L = T.H.top();
    std::function<void(BlockId)> walk = [&](BlockId B) {
      const Hierarchy &H = T.H;
      if (H.Dict.Kind[B] <= BlockKind::Break)
        return;
      if (H.Dict.Kind[B] == BlockKind::Iterations) {
        auto F = LoopFacts::unpack(H.Dict.Value[B]);
        ASSERT_TRUE(F);
        uint64_t Rounds = 0;
        for (BlockId P : H.body(B))
          Rounds += H.Dict.Kind[P] == BlockKind::Repeat ? H.Dict.Value[P] : 1;
        if (!F->Irreducible) {
          EXPECT_FALSE(F->BeginsInside);
          Found[F->Header].insert(Rounds);
        }
      }
      for (uint64_t K = H.Dict.Kind[B] == BlockKind::Repeat ? H.Dict.Value[B]
                                                            : 1;
           K > 0; --K)
        for (BlockId P : H.parts(B, L))
          walk(P);
    };
    for (BlockId B : L.sequence(0))
      walk(B);
    ASSERT_EQ(Found, Expected) << "round " << Round;
  }
}

TEST(FlowLoops, LosslessWhateverIsBelow) {
  std::mt19937 Random(4711);
  const char *Pipelines[] = {"bsb,flow-loops", "loops,flow-loops",
                             "flow-loops,bsb,flow-loops,loops",
                             "grammar,flow-loops"};
  for (unsigned Round = 0; Round < 500; ++Round) {
    std::vector<BlockId> Walk;
    NaiveGraph G = randomGraph(Random, Walk);
    TestTrace T(llvm::ArrayRef<std::vector<BlockId>>(Walk), G.N);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    expectLossless(T.H);
    if (HasFatalFailure())
      return;
  }
}
