//===- CallDependencesTest.cpp - Against explicit edges -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/CallDependences.h"
#include "Frames.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::dataflow;

namespace {

/// What is told of a site: calls, joined, least, sum.
using SiteRow = std::array<uint64_t, 4>;
struct Told {
  std::map<std::pair<uint32_t, uint64_t>, SiteRow> Sites; ///< static, entry
  std::map<std::array<uint64_t, 4>, std::pair<uint64_t, Moment>> Pairs;
  bool operator==(const Told &) const = default;
};

Told byDomain(const Program &P, const ModelOptions &O, size_t Limit) {
  CallDependences D(O.Threads, /*Kinds=*/7);
  if (Limit)
    D.setLimit(Limit);
  EngineOptions E;
  E.Threads = O.Threads;
  E.Cells = P.Map.size();
  E.Suppress = O.Suppress;
  E.Modes = O.Modes;
  E.StackPointers.push_back(P.Convention.SP);
  Engine<CallDependences> Eng(E, D);
  for (const Step &S : P.Steps)
    Eng.step(S);
  Eng.finish();
  EXPECT_FALSE(D.overflowed());
  Told Is;
  for (const CallDependences::Joins &J : D.joins())
    Is.Sites[{J.Of.Static, J.Of.Entry}] = {J.Calls, J.Joined, J.Least, J.Sum};
  auto Site = [&](uint32_t N) { return D.joins()[N].Of; };
  for (auto &[Key, Pair] : D.pairs())
    Is.Pairs[{Site(Key.first).Static, Site(Key.first).Entry,
              Site(Key.second).Static, Site(Key.second).Entry}] = {Pair.Times,
                                                                   Pair.First};
  return Is;
}

/// Those of the model's edges, mapped to common ancestors. \p Reused: how
/// many of these only reuse the frame of a call that is over.
Told byModel(const Program &P, const ModelOptions &O, uint64_t &Reused) {
  ModelOptions With = O;
  With.Calls = CallMode::Atomic;
  With.StackPointers.push_back(P.Convention.SP);
  Model M(P.Steps, With);
  // How many instructions of its thread come before a step.
  std::vector<uint64_t> Counts(O.Threads), Before;
  for (const Step &S : P.Steps)
    Before.push_back(Counts[S.Thread]++);
  std::map<int, int> CallOf, ReturnOf; // by node: the activation
  std::vector<uint64_t> Entry(M.Activations.size()), Ends(Entry), Begins(Entry);
  for (int A = 0; A < int(M.Activations.size()); ++A) {
    const Model::Activation &Act = M.Activations[A];
    if (Act.Parent < 0)
      continue;
    CallOf[Act.Call] = ReturnOf[Act.Return] = A;
    Begins[A] = Before[Act.Before] + !Act.RealCall;
  }
  for (int I = int(P.Steps.size()); I--;)
    for (int N : M.nodesOf(I))
      Entry[M.Nodes[N].Activation] = P.Steps[I].Code->PC;
  // Its last instruction is the last that was executed while it was open.
  std::vector<std::vector<int>> Open(O.Threads);
  for (int A = 0; A < int(M.Activations.size()); ++A)
    if (M.Activations[A].Parent < 0)
      Open[M.Activations[A].Thread] = {A};
  int Next = 0;
  for (int I = 0; I < int(P.Steps.size()); ++I) {
    const Step &S = P.Steps[I];
    auto &Stack = Open[S.Thread];
    for (unsigned K = 0; K < S.Leaves; ++K) {
      Ends[Stack.back()] = Before[I] + 1;
      Stack.pop_back();
    }
    for (unsigned K = 0; K < S.Enters; ++K) {
      while (M.Activations[Next].Parent < 0)
        ++Next;
      Stack.push_back(Next++);
    }
  }
  for (unsigned T = 0; T < O.Threads; ++T)
    while (Open[T].size() > 1) {
      Ends[Open[T].back()] = Counts[T];
      Open[T].pop_back();
    }
  auto Site = [&](int A) {
    const Model::Activation &Act = M.Activations[A];
    return std::pair<uint32_t, uint64_t>(P.Steps[Act.Before].Code->Static,
                                         Entry[A]);
  };
  // Calls that each node comes from, and where each call is needed first.
  std::vector<std::set<int>> From(M.Nodes.size());
  std::map<int, uint64_t> Join;
  std::vector<std::vector<int>> Into(M.Nodes.size());
  const Frames F(P, M);
  for (const Model::Edge &E : M.Edges)
    if (E.Reason == Why::Data) {
      auto From = ReturnOf.find(E.From);
      if (E.Over.Size && From != ReturnOf.end() &&
          M.Nodes[E.To].Activation != From->second &&
          F.hold(From->second, E.Over))
        ++Reused;
      else
        Into[E.To].push_back(E.From);
    }
  for (int N = 0; N < int(M.Nodes.size()); ++N)
    for (int U : Into[N]) {
      if (!ReturnOf.count(U) || N == U) {
        From[N].insert(From[U].begin(), From[U].end());
        continue;
      }
      int A = ReturnOf[U];
      if (M.Nodes[N].Activation == A) { // its return is a part of it
        From[N].insert(From[U].begin(), From[U].end());
        continue;
      }
      From[N].insert(A);
      uint64_t At =
          CallOf.count(N) ? Begins[CallOf[N]] : Before[M.Nodes[N].Step];
      auto [It, New] = Join.try_emplace(A, At - Ends[A]);
      if (!New)
        It->second = std::min(It->second, At - Ends[A]);
    }
  Told Is;
  for (int A = 0; A < int(M.Activations.size()); ++A) {
    if (M.Activations[A].Parent < 0)
      continue;
    auto [It, New] = Is.Sites.try_emplace(Site(A), SiteRow{0, 0, ~0ull, 0});
    SiteRow &Row = It->second;
    ++Row[0];
    if (Join.count(A)) {
      ++Row[1];
      Row[2] = std::min(Row[2], Join[A]);
      Row[3] += Join[A];
    }
  }
  // In the order in which they end, as the domain sees them.
  std::vector<int> Order;
  for (int A = 0; A < int(M.Activations.size()); ++A)
    if (M.Activations[A].Parent >= 0)
      Order.push_back(A);
  for (int A : Order) {
    std::set<std::pair<uint32_t, uint64_t>> Earlier;
    for (int B : From[M.Activations[A].Call])
      Earlier.insert(Site(B));
    for (auto &S : Earlier) {
      auto Here = Site(A);
      auto &Row = Is.Pairs[{S.first, S.second, Here.first, Here.second}];
      Moment When = P.Steps[M.Activations[A].Before].When;
      if (!Row.first++ || When < Row.second)
        Row.second = When;
    }
  }
  return Is;
}

TEST(CallDependences, RandomProgramsAreAsTheModelSays) {
  uint64_t Pairs = 0, Joined = 0, Reused = 0;
  for (unsigned Seed = 0; Seed < 3000; ++Seed) {
    std::mt19937_64 Random(Seed + 4000000);
    ModelOptions O;
    O.Suppress = Random() % 2;
    O.Modes.WAR = Random() % 8;
    O.Modes.WAW = Random() % 8;
    O.Threads = Random() % 4 ? 1 : 2;
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    if (Seed % 4)
      addStackPointers(*P, O.Threads, Random);
    for (size_t N = 0; N < P->Codes.size(); ++N)
      P->Codes[N].PC = 0x1000 + 4 * N;
    Told Is = byModel(*P, O, Reused), Says = byDomain(*P, O, Seed % 3 ? 0 : 20);
    ASSERT_EQ(Says.Sites, Is.Sites) << "seed " << Seed;
    ASSERT_EQ(Says.Pairs, Is.Pairs) << "seed " << Seed;
    Pairs += Is.Pairs.size();
    for (auto &[S, Row] : Is.Sites)
      Joined += Row[1];
  }
  EXPECT_GT(Pairs, 1000u);
  EXPECT_GT(Joined, 1000u);
  EXPECT_GT(Reused, 300u);
}

/// Two calls whose callee fills a local array of each: they need nothing of one
/// another. An array of their caller's does make them wait.
TEST(CallDependences, LocalArraysOfTwoCallsAreTwo) {
  for (const bool OfCaller : {false, true}) {
    Program P;
    unsigned F = P.call(), G = P.call(), Fill = P.store(x(1), x(0)),
             Ret = P.ret(), Push = P.addConstant(SP, SP), Pop = Push;
    for (size_t N = 0; N < P.Codes.size(); ++N)
      P.Codes[N].PC = 0x1000 + 4 * N;
    auto Run = [&](unsigned Code, uint64_t SP, Program::Flow How = {},
                   std::vector<Range> Stores = {}) {
      P.run(Code, {}, std::move(Stores), How);
      P.Steps.back().SP = SP;
    };
    const Program::Flow Enter{false, 0, 1}, Leave{true, 1, 0};
    const uint64_t Array = OfCaller ? 0x8000 : 0x7fd0;
    for (unsigned K = 0; K < 2; ++K) {
      Run(F, 0x8000, Enter);
      Run(Push, 0x7fc0);
      Run(G, 0x7fc0, Enter);
      Run(Fill, 0x7fc0, {}, {{Array, 8}});
      Run(Ret, 0x7fc0, Leave);
      Run(Pop, 0x8000);
      Run(Ret, 0x8000, Leave);
    }
    CallDependences D(1, 7);
    EngineOptions E;
    E.Cells = P.Map.size();
    E.Modes = StorageModes::memory();
    E.StackPointers.push_back(P.Convention.SP);
    Engine<CallDependences> Eng(E, D);
    for (const Step &S : P.Steps)
      Eng.step(S);
    Eng.finish();
    EXPECT_EQ(D.pairs().size(), OfCaller ? 1u : 0u);
  }
}

TEST(CallDependences, TheExampleOfTheNotes) {
  // call foo; three instructions, the last of which needs what foo made; call
  // bar with that; call baz.
  Program P;
  unsigned Foo = P.call(), Bar = P.call(), Baz = P.call(), Make = P.mov(x(0)),
           Use = P.op(x(1), {x(0)}), Other = P.mov(x(2)),
           Copy = P.op(x(3), {x(1)}), Ret = P.ret();
  for (size_t N = 0; N < P.Codes.size(); ++N)
    P.Codes[N].PC = 0x1000 + 4 * N;
  P.enter(Foo);
  P.run(Make);
  P.leave(Ret);
  P.run(Other);
  P.run(Other);
  P.run(Use);
  P.enter(Bar);
  P.run(Copy);
  P.leave(Ret);
  P.enter(Baz);
  P.run(Other);
  P.leave(Ret);
  CallDependences D(1, 1);
  EngineOptions E;
  E.Cells = P.Map.size();
  E.StackPointers.push_back(P.Convention.SP);
  Engine<CallDependences> Eng(E, D);
  for (const Step &S : P.Steps)
    Eng.step(S);
  Eng.finish();
  ASSERT_EQ(D.joins().size(), 3u);
  EXPECT_EQ(D.joins()[0].Joined, 1u);
  EXPECT_EQ(D.joins()[0].Least, 2u);
  EXPECT_EQ(D.joins()[0].By, Use);
  EXPECT_EQ(D.joins()[1].Joined, 0u);
  EXPECT_EQ(D.joins()[2].Joined, 0u);
  ASSERT_EQ(D.pairs().size(), 1u);
  EXPECT_EQ(D.pairs().begin()->first, std::make_pair(0u, 1u));
}

} // namespace
