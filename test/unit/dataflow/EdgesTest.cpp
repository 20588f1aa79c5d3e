//===- EdgesTest.cpp - The table of sites against explicit edges ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Edges.h"
#include "Frames.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::dataflow;

namespace {

/// The two sites, and at which instruction.
using EdgeRow = std::tuple<uint32_t, uint32_t, Moment>;

struct EdgeSink {
  std::set<EdgeRow> Rows;
  void edge(Site From, Site To, EdgeKind, bool, Moment When) {
    Rows.insert({From.Key, To.Key, When});
  }
};

std::set<EdgeRow> edgesByDomain(const Program &P, const ModelOptions &O,
                                size_t Limit) {
  EdgeSink Out;
  EdgeDomain<EdgeSink> D(O.Threads, {}, Out);
  if (Limit)
    D.setLimit(Limit);
  EngineOptions E;
  E.Threads = O.Threads;
  E.Cells = P.Map.size();
  E.Suppress = O.Suppress;
  E.Modes = O.Modes;
  E.StackPointers.push_back(P.Convention.SP);
  Engine<EdgeDomain<EdgeSink>> Eng(E, D);
  for (const Step &S : P.Steps)
    Eng.step(S);
  Eng.finish();
  return Out.Rows;
}

/// The model's edges, mapped to common ancestors here. \p Reused: how many only
/// reuse the frame of a call that is over.
std::set<EdgeRow> edgesByModel(const Program &P, const ModelOptions &O,
                               uint64_t &Reused) {
  ModelOptions With = O;
  With.Calls = CallMode::Fine; // edges are those of instructions
  With.StackPointers.push_back(P.Convention.SP);
  const Model M(P.Steps, With);
  const Frames F(P, M);
  auto Chain = [&](int A) {
    std::vector<int> C;
    for (; A >= 0; A = M.Activations[A].Parent)
      C.insert(C.begin(), A);
    return C;
  };
  auto Static = [&](int Step) { return P.Steps[Step].Code->Static; };
  std::set<EdgeRow> Rows;
  for (const Model::Edge &E : M.Edges) {
    if (E.Reason != Why::Data)
      continue;
    const Model::Node &Source = M.Nodes[E.From], &Target = M.Nodes[E.To];
    // What a call itself makes or reads is its activation's at the common
    // ancestor, unless both are in the same one.
    std::vector<int> From = Chain(Source.Activation),
                     To = Chain(Target.Activation);
    if (From[0] != To[0])
      continue; // of different threads
    size_t Common = 0;
    while (Common < From.size() && Common < To.size() &&
           From[Common] == To[Common])
      ++Common;
    Site A = Site::plain(Static(Source.Step)),
         B = Site::plain(Static(Target.Step));
    if (Common < From.size()) {
      A = Site::returnOf(Static(M.Activations[From[Common]].Before));
      if (E.Over.Size && F.hold(From[Common], E.Over)) {
        ++Reused;
        continue;
      }
    }
    if (Common < To.size()) {
      const Model::Activation &Into = M.Activations[To[Common]];
      // What the call itself left for its callee is structure.
      if (Into.RealCall && Into.Call == E.From)
        continue;
      B = Site::plain(Static(Into.Before));
    }
    Rows.insert({A.Key, B.Key, P.Steps[Target.Step].When});
  }
  return Rows;
}

TEST(Edges, RandomProgramsAreAsTheModelSays) {
  uint64_t Rows = 0, Reused = 0;
  for (unsigned Seed = 0; Seed < 3000; ++Seed) {
    std::mt19937_64 Random(Seed + 7000000);
    ModelOptions O;
    O.Suppress = Random() % 2;
    O.Modes.WAR = Random() % 8;
    O.Modes.WAW = Random() % 8;
    O.Threads = Random() % 4 ? 1 : 2;
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    if (Seed % 4)
      addStackPointers(*P, O.Threads, Random);
    const std::set<EdgeRow> Is = edgesByModel(*P, O, Reused);
    ASSERT_EQ(edgesByDomain(*P, O, Seed % 3 ? 0 : 20), Is) << "seed " << Seed;
    Rows += Is.size();
  }
  EXPECT_GT(Rows, 1000u);
  EXPECT_GT(Reused, 300u);
}

/// A variable that many calls read takes room once for each place of a call,
/// not for each call.
TEST(Edges, ReadersOfManyCallsAreOne) {
  Program P;
  const unsigned Call = P.call(), Push = P.addConstant(SP, SP), Pop = Push,
                 Read = P.load(x(0), x(1)), Write = P.store(x(0), x(1)),
                 Ret = P.ret();
  auto Run = [&](unsigned Code, uint64_t SP, Program::Flow How = {},
                 std::vector<Range> Loads = {},
                 std::vector<Range> Stores = {}) {
    P.run(Code, std::move(Loads), std::move(Stores), How);
    P.Steps.back().SP = SP;
  };
  const unsigned Calls = 1000;
  for (unsigned K = 0; K < Calls; ++K) {
    Run(Call, 0x8000, {false, 0, 1});
    Run(Push, 0x7fc0);
    Run(Read, 0x7fc0, {}, {{0x9000, 8}});
    Run(Pop, 0x8000);
    Run(Ret, 0x8000, {true, 1, 0});
  }
  Run(Write, 0x8000, {}, {}, {{0x9000, 8}});
  struct Counter {
    unsigned Wars = 0;
    void edge(Site, Site, EdgeKind Kind, bool, Moment) {
      Wars += Kind.What == Hazard::WAR;
    }
  } Count;
  EdgeDomain<Counter> D(1, {}, Count);
  EngineOptions E;
  E.Cells = P.Map.size();
  E.Modes = StorageModes::memory();
  E.StackPointers.push_back(P.Convention.SP);
  Engine<EdgeDomain<Counter>> Eng(E, D);
  for (const Step &S : P.Steps)
    Eng.step(S);
  Eng.finish();
  EXPECT_EQ(Count.Wars, 1u);
}

} // namespace
