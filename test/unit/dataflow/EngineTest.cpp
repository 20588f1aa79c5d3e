//===- EngineTest.cpp - The engines tell what the model tells -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace rw;
using namespace rw::dataflow;

namespace {

struct Collector {
  Measured &To;
  void node(const Step &S, uint64_t T, uint32_t, uint32_t After) {
    To.Nodes.push_back({S.When, T, After});
  }
  void later(uint32_t Node, uint64_t T, uint32_t After) {
    To.Nodes[Node - 1].T = T;
    To.Nodes[Node - 1].After = After;
  }
  void left(unsigned, uint64_t Start, uint64_t Length) {
    To.Calls.push_back({Start, Length});
  }
};

} // namespace

Measured rw::dataflow::measure(const Program &P, const ModelOptions &O,
                               const ControlFlow *Flow, size_t Limit,
                               bool Traced) {
  Measured M;
  TimesOptions T;
  T.Threads = O.Threads;
  T.Structure = O.Calls != CallMode::None;
  T.Control = O.Control;
  T.Latency = O.Latency;
  ControlFlow Own;
  if (!Flow) {
    for (const Step &S : P.Steps)
      Own.step(S);
    Own.finish();
  }
  T.Flow = Flow ? Flow : &Own;
  EngineOptions E;
  E.Threads = O.Threads;
  E.Cells = P.Map.size();
  E.Suppress = O.Suppress;
  E.Modes = O.Modes;
  E.StackPointers.assign(O.StackPointers.begin(), O.StackPointers.end());
  E.StackPointers.push_back(P.Convention.SP);
  auto Run = [&](auto &Domain) {
    Engine<std::decay_t<decltype(Domain)>> Eng(E, Domain);
    for (const Step &S : P.Steps)
      Eng.step(S);
    Eng.finish();
  };
  Collector C{M};
  switch (O.Calls) {
  case CallMode::None:
  case CallMode::Fine: {
    if (Traced) {
      FineTimes<TracedTime, Collector> D(T, C);
      Run(D);
      M.Length = D.length();
      M.Work = D.work();
      M.Last = D.lastNode();
      break;
    }
    FineTimes<PlainTime<uint32_t>, Collector> D(T, C);
    Run(D);
    M.Length = D.length();
    M.Work = D.work();
    break;
  }
  case CallMode::Atomic: {
    AtomicTimes<Collector> D(T, C);
    if (Limit)
      D.forest().setLimit(Limit);
    Run(D);
    M.Work = D.work();
    for (unsigned N = 0; N < O.Threads; ++N)
      M.ByThread.push_back(D.length(N));
    break;
  }
  case CallMode::Static: {
    StaticGraph G;
    EdgeDomain<StaticGraph> D(O.Threads, O.Latency, G);
    if (Limit)
      D.forest().setLimit(Limit);
    Run(D);
    G.finish(D.latencies());
    StaticTimes S(T, G);
    for (const Step &Of : P.Steps)
      S.step(Of);
    S.finish();
    for (unsigned N = 0; N < O.Threads; ++N)
      M.ByThread.push_back(S.length(N));
    break;
  }
  }
  for (uint64_t L : M.ByThread)
    M.Length = std::max(M.Length, L);
  return M;
}

namespace {

std::string name(const ModelOptions &O) {
  return "calls " + std::to_string(int(O.Calls)) + " control " +
         std::to_string(int(O.Control)) + " war " +
         std::to_string(O.Modes.WAR) + " waw " + std::to_string(O.Modes.WAW) +
         " suppress " + std::to_string(O.Suppress) + " threads " +
         std::to_string(O.Threads);
}

/// Every time that the engine tells is the model's.
void compare(const Program &P, const ModelOptions &O, size_t Limit) {
  ModelOptions With = O;
  With.StackPointers.push_back(P.Convention.SP);
  Model Is(P.Steps, With);
  bool Traced = Limit != 0;
  Measured M = measure(P, O, nullptr, Limit, Traced);
  ASSERT_EQ(M.Length, Is.length());
  if (O.Calls == CallMode::Static)
    return;
  ASSERT_EQ(M.Work, Is.Work);
  std::vector<const Model::Node *> Nodes;
  std::vector<uint64_t> T;
  for (int I = 0; I < int(P.Steps.size()); ++I)
    for (int N : Is.nodesOf(I)) {
      uint64_t Base = 0;
      if (O.Calls == CallMode::Atomic) {
        if (P.Steps[I].calls())
          continue;
        int Call = Is.Activations[Is.Nodes[N].Activation].Call;
        Base = Call >= 0 ? Is.Nodes[Call].end() : 0;
      }
      T.push_back(Is.Nodes[N].T - Base);
    }
  ASSERT_EQ(M.Nodes.size(), T.size());
  for (size_t N = 0; N < T.size(); ++N)
    ASSERT_EQ(M.Nodes[N].T, T[N])
        << "node " << N << " of step " << M.Nodes[N].When;
  for (unsigned N = 0; N < M.ByThread.size(); ++N)
    ASSERT_EQ(M.ByThread[N], Is.length(N));
  if (!Traced || O.Calls == CallMode::Atomic)
    return;
  // The chain: each waited for the one before, which the model knows as well.
  std::set<std::pair<int, int>> Edges;
  for (const Model::Edge &E : Is.Edges)
    Edges.insert({E.From, E.To});
  std::vector<int> Number; // of the model's nodes that are steps'
  for (int N = 0; N < int(Is.Nodes.size()); ++N)
    if (Is.Nodes[N].Step >= 0)
      Number.push_back(N);
  uint64_t Time = M.Length;
  for (uint32_t N = M.Last; N; N = M.Nodes[N - 1].After) {
    const Model::Node &Node = Is.Nodes[Number[N - 1]];
    ASSERT_EQ(Node.end(), Time) << "node " << N << " of the path";
    Time = Node.T;
    if (uint32_t Before = M.Nodes[N - 1].After) {
      ASSERT_TRUE(Edges.count({Number[Before - 1], Number[N - 1]}))
          << Before << " to " << N;
    }
  }
  ASSERT_EQ(Time, 0u);
}

ModelOptions randomOptions(std::mt19937_64 &Random) {
  ModelOptions O;
  O.Calls = CallMode(Random() % 4);
  O.Control = ControlMode(Random() % 4);
  O.Suppress = Random() % 2;
  if (Random() % 2) {
    O.Modes.WAR = Random() % 8;
    O.Modes.WAW = Random() % 8;
  }
  if (!(Random() % 4)) {
    O.Latency.Load = Random() % 4;
    O.Latency.StackLoad = Random() % 3;
  }
  O.Threads = Random() % 4 ? 1 : 2;
  return O;
}

/// REWIND_DATAFLOW_PROGRAMS: how many, for a long run.
unsigned howMany(unsigned Default) {
  const char *Text = std::getenv("REWIND_DATAFLOW_PROGRAMS");
  return Text ? unsigned(std::atoi(Text)) : Default;
}

TEST(Engine, RandomProgramsAreAsTheModelSays) {
  for (unsigned Seed = 0, Most = howMany(3000); Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed);
    ModelOptions O = randomOptions(Random);
    unsigned Long = Seed % 16 ? 60 : 400;
    auto P = randomProgram(Random, Long, O.Threads);
    compare(*P, O, Seed % 3 ? 0 : 20);
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << Seed << ": " << name(O);
      return;
    }
  }
}

TEST(Engine, MoreDependencesMakeNoShorterPaths) {
  for (unsigned Seed = 0, Most = howMany(300); Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed + 1000000);
    ModelOptions O = randomOptions(Random);
    O.Latency = Latencies();
    auto P = randomProgram(Random, 200, O.Threads);
    uint64_t Last = 0;
    for (ControlMode C : {ControlMode::None, ControlMode::Exact,
                          ControlMode::Call, ControlMode::All}) {
      O.Control = C;
      uint64_t Now = measure(*P, O).Length;
      ASSERT_GE(Now, Last) << "seed " << Seed << ": " << name(O);
      Last = Now;
    }
    O.Calls = CallMode::Atomic;
    uint64_t Dynamic = measure(*P, O).Length;
    O.Calls = CallMode::Static;
    ASSERT_GE(measure(*P, O).Length, Dynamic) << "seed " << Seed;
  }
}

} // namespace
