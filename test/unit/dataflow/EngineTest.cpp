//===- EngineTest.cpp - The engines tell what the model tells -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "core/dataflow/PartStart.h"
#include "core/dataflow/Regions.h"
#include "core/dataflow/Slack.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace rw;
using namespace rw::dataflow;

namespace {

struct Collector : IgnoreTimes {
  Measured &To;
  explicit Collector(Measured &To) : To(To) {}
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

static TimesOptions timesOptions(const ModelOptions &O) {
  TimesOptions T;
  T.Threads = O.Threads;
  T.Structure = O.Calls != CallMode::None;
  T.Control = O.Control;
  T.Latency = O.Latency;
  return T;
}

static EngineOptions engineOptions(const Program &P, const ModelOptions &O) {
  EngineOptions E;
  E.Threads = O.Threads;
  E.Cells = P.Map.size();
  E.Suppress = O.Suppress;
  E.PlacesKnown = P.PlacesKnown;
  E.Modes = O.Modes;
  E.StackPointers.assign(O.StackPointers.begin(), O.StackPointers.end());
  E.StackPointers.push_back(P.Convention.SP);
  return E;
}

Measured rw::dataflow::measure(const Program &P, const ModelOptions &O,
                               const ControlFlow *Flow, size_t Limit,
                               bool Traced, const EngineStart *Start) {
  Measured M;
  TimesOptions T = timesOptions(O);
  ControlFlow Own;
  if (!Flow) {
    for (const Step &S : P.Steps)
      Own.step(S);
    Own.finish();
  }
  T.Flow = Flow ? Flow : &Own;
  EngineOptions E = engineOptions(P, O);
  auto Run = [&](auto &Domain) {
    Engine<std::decay_t<decltype(Domain)>> Eng(E, Domain);
    if (Start)
      Eng.start(*Start);
    for (const Step &S : P.Steps)
      Eng.step(S);
    Eng.finish();
  };
  Collector C(M);
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
      D.setLimit(Limit);
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
    // In a long run, all of up to 400.
    unsigned Long = Most <= 3000 && Seed % 16 ? 60 : 400;
    auto P = randomProgram(Random, Long, O.Threads);
    compare(*P, O, Seed % 3 ? 0 : 20);
    if (HasFatalFailure()) {
      ADD_FAILURE() << "seed " << Seed << ": " << name(O);
      return;
    }
  }
}

/// A part of a program is measured as the model does it that has seen what came
/// before: which register is a frame pointer, where registers are saved.
TEST(Engine, PartsKnowWhatCameBefore) {
  unsigned Other = 0;
  for (unsigned Seed = 0, Most = howMany(3000); Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed + 9000000);
    ModelOptions O = randomOptions(Random);
    O.Suppress = true;
    O.Calls = CallMode(Random() % 3);
    if (O.Control == ControlMode::Exact)
      O.Control = ControlMode::Call;
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    const size_t From = Random() % P->Steps.size();
    NoTimes Nothing;
    Engine<NoTimes> Before(engineOptions(*P, O), Nothing);
    for (size_t N = 0; N < From; ++N)
      Before.step(P->Steps[N]);
    const EngineStart Start = Before.state();
    // Activations that were open count as one, which lasts.
    std::vector<unsigned> Depth(O.Threads);
    for (size_t N = From; N < P->Steps.size(); ++N) {
      Step &S = P->Steps[N];
      unsigned &D = Depth[S.Thread];
      S.Leaves = std::min(S.Leaves, D);
      S.Returns &= S.Leaves != 0;
      D = D - S.Leaves + S.Enters;
    }
    ModelOptions With = O;
    With.StackPointers.push_back(P->Convention.SP);
    With.From = int(From);
    Model Is(P->Steps, With);
    Program Part;
    Part.Steps.assign(P->Steps.begin() + long(From), P->Steps.end());
    const Measured M = measure(Part, O, nullptr, 0, false, &Start);
    ASSERT_EQ(M.Length, Is.length())
        << "seed " << Seed << " from " << From << ": " << name(O);
    ASSERT_EQ(M.Work, Is.Work);
    Other += M.Length != measure(Part, O).Length;
  }
  // That it matters.
  EXPECT_GT(Other, howMany(3000) / 100);
}

/// Work and span of functions are latencies alike, whichever these are.
TEST(Engine, NoFunctionTakesLongerThanItsWork) {
  uint64_t Slow = 0;
  for (unsigned Seed = 0; Seed < howMany(1000); ++Seed) {
    std::mt19937_64 Random(Seed + 7000000);
    ModelOptions O = randomOptions(Random);
    O.Calls = CallMode::Atomic;
    O.Control = ControlMode(Random() % 2 ? 0 : 2);
    O.Latency = {uint32_t(Random() % 9), uint32_t(Random() % 9)};
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    Regions R(O.Threads);
    AtomicTimes<Regions> D(timesOptions(O), R);
    Engine<AtomicTimes<Regions>> Eng(engineOptions(*P, O), D);
    for (const Step &S : P->Steps)
      Eng.step(S);
    Eng.finish();
    uint64_t All = 0;
    for (unsigned N = 0; N < O.Threads; ++N)
      All += R.root(N, 0).Work;
    ASSERT_EQ(All, measure(*P, O).Work) << "seed " << Seed << ": " << name(O);
    for (unsigned N = 0; N < O.Threads; ++N) {
      const RegionCost Root = R.root(N, D.length(N));
      ASSERT_LE(Root.Span, Root.Work) << "seed " << Seed << ": " << name(O);
      ASSERT_LE(Root.Span, Root.Children + Root.Own);
    }
    for (const auto &[Entry, C] : R.costs()) {
      ASSERT_LE(C.Span, C.Work) << "seed " << Seed << ": " << name(O);
      ASSERT_LE(C.Spans, C.Children + C.Own);
    }
    Slow += All > P->Steps.size();
  }
  EXPECT_GT(Slow, 0u);
}

/// A store that looks like a save is the last instruction before its activation
/// ends, by no return, and another one begins: nothing in that starts before.
TEST(Engine, ASaveThatIsNoneDelaysTheNextActivation) {
  Program P;
  unsigned Call = P.call(), Slow = P.op(x(20), {x(20)}),
           Store = P.store(x(20), SP), Mov = P.mov(x(0));
  for (unsigned N = 0; N < 5; ++N)
    P.run(Slow);
  P.enter(Call);
  P.run(Store, {}, {{0x8000, 8}}, {false, 1, 1});
  P.run(Mov);
  ModelOptions O;
  compare(P, O, 0);
  compare(P, O, 1);
  EXPECT_EQ(measure(P, O).Length, 7u);
}

/// All combinations of the modes that can be asked for: calls, control, what is
/// suppressed, war and waw of each class of storage.
TEST(Engine, AllModesAreAsTheModelSays) {
  const char *Text = std::getenv("REWIND_DATAFLOW_ALL_MODES");
  const unsigned Most = Text ? unsigned(std::atoi(Text)) : 2;
  for (unsigned Seed = 0; Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed + 5000000);
    ModelOptions O;
    O.Threads = Seed % 4 ? 1 : 2;
    auto P = randomProgram(Random, Seed % 16 == 15 ? 400 : 60, O.Threads);
    for (unsigned Modes = 0; Modes < 4 * 4 * 2 * 8 * 8; ++Modes) {
      O.Calls = CallMode(Modes % 4);
      O.Control = ControlMode(Modes / 4 % 4);
      O.Suppress = Modes / 16 % 2;
      O.Modes.WAR = Modes / 32 % 8;
      O.Modes.WAW = Modes / 256;
      compare(*P, O, Modes % 3 ? 0 : 20);
      if (HasFatalFailure()) {
        ADD_FAILURE() << "seed " << Seed << ": " << name(O);
        return;
      }
    }
  }
}

/// The slack of each node, in order, from the sweep over the log.
std::vector<uint64_t> slackOf(const Program &P, const ModelOptions &O,
                              size_t BlockBytes) {
  TimesOptions T = timesOptions(O);
  ControlFlow Flow;
  for (const Step &S : P.Steps)
    Flow.step(S);
  Flow.finish();
  T.Flow = &Flow;
  SlackLog Log(BlockBytes);
  LoggedTimes D(T, Log);
  Engine<LoggedTimes> Eng(engineOptions(P, O), D);
  for (const Step &S : P.Steps)
    Eng.step(S);
  Eng.finish();
  std::vector<uint64_t> Slack;
  llvm::Error E = forEachSlack(
      Log, T, D.length(), {},
      [&](const SlackLog::Record &, uint64_t S) { Slack.push_back(S); });
  EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
  std::reverse(Slack.begin(), Slack.end());
  return Slack;
}

TEST(Engine, SlackIsWhatAllThatWaitAllow) {
  for (unsigned Seed = 0, Most = howMany(3000); Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed + 2000000);
    ModelOptions O = randomOptions(Random);
    O.Calls = Random() % 2 ? CallMode::Fine : CallMode::None;
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    ModelOptions With = O;
    With.StackPointers.push_back(P->Convention.SP);
    Model Is(P->Steps, With);
    std::vector<uint64_t> Latest(Is.Nodes.size(), Is.length());
    std::vector<std::vector<int>> From(Is.Nodes.size());
    for (const Model::Edge &E : Is.Edges)
      From[E.To].push_back(E.From);
    std::vector<uint64_t> Expected;
    for (size_t N = Is.Nodes.size(); N--;) {
      const Model::Node &Of = Is.Nodes[N];
      for (int U : From[N])
        Latest[U] = std::min(Latest[U], Latest[N] - Of.Latency);
      if (Of.Step >= 0)
        Expected.push_back(Latest[N] - Of.end());
    }
    std::reverse(Expected.begin(), Expected.end());
    ASSERT_EQ(slackOf(*P, O, Seed % 2 ? 1 << 18 : 100), Expected)
        << "seed " << Seed << ": " << name(O);
    // All of the critical path has none.
    Measured M = measure(*P, O, nullptr, 0, /*Traced=*/true);
    for (uint32_t N = M.Last; N; N = M.Nodes[N - 1].After)
      ASSERT_EQ(Expected[N - 1], 0u) << "seed " << Seed << " node " << N;
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

/// Whether a return address came from memory by other than the stack pointer.
struct ReturnAddresses : FineTimes<PlainTime<uint32_t>> {
  using FineTimes::FineTimes;
  bool Elsewhere = false;
  void suppressed(const StepCode &Code, Moment, Suppressed What, CellRef Of) {
    for (const NodeCode &N : Code.Nodes)
      Elsewhere |= What == Suppressed::ReturnAddress && N.Load && !N.BaseSP &&
                   N.Moved.overlaps(Of);
  }
};

TEST(Engine, WithoutPlacesPathsAreLowerBounds) {
  unsigned Compared = 0;
  for (unsigned Seed = 0, Most = howMany(3000); Seed < Most; ++Seed) {
    std::mt19937_64 Random(Seed + 3000000);
    ModelOptions O = randomOptions(Random);
    O.Latency = Latencies();
    auto P = randomProgram(Random, Seed % 16 ? 60 : 400, O.Threads);
    if (O.Suppress) {
      TimesOptions T = timesOptions(O);
      T.Control = ControlMode::None;
      IgnoreTimes Nobody;
      ReturnAddresses D(T, Nobody);
      Engine<ReturnAddresses> Eng(engineOptions(*P, O), D);
      for (const Step &S : P->Steps)
        Eng.step(S);
      if (D.Elsewhere)
        continue;
    }
    ++Compared;
    uint64_t Full = measure(*P, O).Length;
    for (Step &S : P->Steps)
      S.Loads = S.Stores = {};
    P->PlacesKnown = false;
    ASSERT_LE(measure(*P, O).Length, Full)
        << "seed " << Seed << ": " << name(O);
  }
  EXPECT_GT(Compared, howMany(3000) / 2);
}

} // namespace
