//===- CriticalPath.cpp - What a program was waiting for ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/CriticalPath.h"
#include "core/dataflow/ControlParents.h"
#include "core/dataflow/NodeLog.h"
#include "core/dataflow/PartStart.h"
#include "core/dataflow/Slack.h"
#include "core/dataflow/StaticTimes.h"
#include "core/store/TraceStore.h"
#include <map>

using namespace llvm;

namespace rw::dataflow {

namespace {

/// Hands the times on to a log.
struct Logger {
  NodeLog *Log = nullptr;
  void node(const Step &S, uint64_t, uint32_t L, uint32_t After) {
    Log->add(S.When, L, After);
  }
  void later(uint32_t Node, uint64_t, uint32_t After) {
    Log->change(Node, After);
  }
};

/// The passes over a part of a store.
class Passes {
public:
  Passes(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
         const PathQuery &Q, const Watch &W)
      : Store(Store), Calls(Calls), Codes(Codes), Q(Q), W(W),
        To(std::min<Moment>(Q.Part.To, Store.numInstructions())) {
    Times.Threads = Store.numThreads();
    Times.Structure = Q.Calls != PathQuery::None;
    Times.Control = Q.Control;
    Times.Flow = &Flow;
    Times.Latency = Q.Latency;
    Options.Threads = Store.numThreads();
    Options.Cells = Codes.cells().size();
    Options.Suppress = Q.Suppress;
    Options.PlacesKnown = Store.header().Can.MemAddresses;
    Options.Modes = Q.Storage;
    for (CellRef R : Codes.stackPointers())
      Options.StackPointers.push_back(R);
  }

  /// Feeds every step of the part to \p F.
  template <typename Fn> Error each(StringRef What, Fn F) {
    Instructions = 0;
    return forEachStep(Store, Calls, Codes, Q.Part, What, W,
                       [&](const Step &S) {
                         ++Instructions;
                         F(S);
                       });
  }
  /// What exact control needs to know before: all ways that the trace takes,
  /// also outside of the part that is measured.
  Error learnFlow() {
    if (Q.Control != ControlMode::Exact)
      return Error::success();
    return followControl(Store, Calls, Codes, W, Flow);
  }

  template <class Domain>
  Expected<SuppressionCounts> run(StringRef What, Domain &D) {
    auto Start = partStart(Store, Calls, Codes, Q.Part, W);
    if (!Start)
      return Start.takeError();
    Engine<Domain> Eng(Options, D);
    Eng.start(*Start);
    if (Error E = each(What, [&](const Step &S) { Eng.step(S); }))
      return E;
    Eng.finish();
    return Eng.suppressed();
  }

  const TraceStore &Store;
  const CallIndex *Calls;
  StepCodes &Codes;
  const PathQuery &Q;
  const Watch &W;
  const Moment To;
  TimesOptions Times;
  EngineOptions Options;
  ControlFlow Flow;
  uint64_t Instructions = 0;
};

Error tooLong() {
  return createStringError("the path is longer than can be measured (2^31); "
                           "ask about a part of the trace (--from, --to)");
}

Error followChain(NodeLog &Log, uint32_t Last, const PathQuery &Q, Moment To,
                  const Watch &W, PathAnswer &A) {
  A.OnPath.resize(To - Q.Part.From);
  bool Uniform = true;
  uint64_t Steps = 0;
  for (uint32_t N = Last; N;) {
    auto Node = Log.at(N);
    if (!Node)
      return Node.takeError();
    if (++Steps % 65536 == 0)
      if (Error E = W.check())
        return E;
    A.OnPath.set(Node->When - Q.Part.From);
    A.Latencies.push_back(Node->Latency);
    Uniform &= Node->Latency == 1;
    N = Node->After;
  }
  std::reverse(A.Latencies.begin(), A.Latencies.end());
  if (Uniform)
    A.Latencies.clear();
  return Error::success();
}

/// Sums the slack of instructions up: of each execution, the least that any
/// node of it has.
Error collectSlack(SlackLog &Log, const Passes &P, PathAnswer &A) {
  uint64_t OfStep = ~uint64_t(0);
  return forEachSlack(Log, P.Times, A.Length, P.W,
                      [&](const SlackLog::Record &R, uint64_t Slack) {
                        OfStep = std::min(OfStep, Slack);
                        if (!R.NewStep)
                          return;
                        if (R.Static >= A.Slack.size())
                          A.Slack.resize(R.Static + 1);
                        SlackOf &S = A.Slack[R.Static];
                        ++S.Executed;
                        S.Critical += OfStep == 0;
                        S.Sum += OfStep;
                        if (OfStep <= S.Least) {
                          S.Least = OfStep;
                          S.Where = R.When;
                        }
                        OfStep = ~uint64_t(0);
                      });
}

} // namespace

Expected<PathAnswer> criticalPath(const TraceStore &Store,
                                  const CallIndex *Calls, StepCodes &Codes,
                                  const PathQuery &Q, const Watch &W) {
  PathAnswer A;
  Passes P(Store, Calls, Codes, Q, W);
  if (Error E = P.learnFlow())
    return E;
  uint64_t Before = Codes.unknown();
  auto Finish = [&](Expected<SuppressionCounts> Counts) -> Error {
    if (!Counts)
      return Counts.takeError();
    A.Suppressed = *Counts;
    A.Instructions = P.Instructions;
    A.Unknown = Codes.unknown() - Before;
    return Error::success();
  };
  unsigned Threads = Store.numThreads();
  if (Q.Calls == PathQuery::Static) {
    StaticGraph Graph;
    EdgeDomain<StaticGraph> D(Threads, Q.Latency, Graph);
    if (Error E = Finish(P.run("finding dependences", D)))
      return E;
    Graph.finish(D.latencies());
    A.Crossings = D.crossings();
    StaticTimes T(P.Times, Graph);
    if (Error E = P.each("measuring", [&](const Step &S) {
          T.step(S);
          A.Work += Graph.latency(S.Code->Static);
        }))
      return E;
    T.finish();
    for (unsigned N = 0; N < Threads; ++N)
      A.Length = std::max(A.Length, T.length(N));
    return A;
  }
  if (Q.Calls == PathQuery::Atomic) {
    IgnoreTimes Nobody;
    AtomicTimes<> D(P.Times, Nobody);
    if (Error E = Finish(P.run("measuring", D)))
      return E;
    if (D.overflowed())
      return tooLong();
    for (unsigned N = 0; N < Threads; ++N)
      A.Length = std::max(A.Length, D.length(N));
    A.Work = D.work();
    A.Crossings = D.crossings();
    return A;
  }
  if (Q.Slack) {
    SlackLog Log;
    LoggedTimes D(P.Times, Log);
    if (Error E = Finish(P.run("measuring", D)))
      return E;
    if (D.overflowed())
      return tooLong();
    A.Length = D.length();
    A.Work = D.work();
    if (Error E = collectSlack(Log, P, A))
      return E;
    return A;
  }
  if (Q.Chain) {
    NodeLog Log;
    Logger L{&Log};
    FineTimes<TracedTime, Logger> D(P.Times, L);
    if (Error E = Finish(P.run("measuring", D)))
      return E;
    if (D.overflowed())
      return tooLong();
    if (Error E = Log.finish())
      return E;
    A.Length = D.length();
    A.Work = D.work();
    if (Error E = followChain(Log, D.lastNode(), Q, P.To, W, A))
      return E;
    return A;
  }
  IgnoreTimes Nobody;
  FineTimes<PlainTime<uint32_t>> D(P.Times, Nobody);
  if (Error E = Finish(P.run("measuring", D)))
    return E;
  if (D.overflowed())
    return tooLong();
  A.Length = D.length();
  A.Work = D.work();
  return A;
}

namespace {

/// Nobody asks for its times.
struct SuppressedCounts : FineTimes<PlainTime<uint32_t>> {
  using FineTimes::FineTimes;
  using Key = std::tuple<uint32_t, uint32_t, Cell>;
  std::map<Key, SuppressedAt> Counts;

  void suppressed(const StepCode &Code, Moment When, Suppressed What,
                  CellRef Of) {
    SuppressedAt &A = Counts[{Code.Static, uint32_t(What), Of.First}];
    if (!A.Times++ || When < A.First)
      A.First = When;
    A.Static = Code.Static;
    A.What = What;
    A.Of = Of;
  }
};

} // namespace

Expected<std::vector<SuppressedAt>>
suppressedIn(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
             const PathQuery &Q, const Watch &W) {
  Passes P(Store, Calls, Codes, Q, W);
  P.Times.Control = ControlMode::None;
  P.Options.Suppress = true;
  IgnoreTimes Nobody;
  SuppressedCounts D(P.Times, Nobody);
  auto Counts = P.run("looking for saves", D);
  if (!Counts)
    return Counts.takeError();
  std::vector<SuppressedAt> List;
  for (auto &[Key, A] : D.Counts)
    List.push_back(A);
  llvm::sort(List, [](const SuppressedAt &A, const SuppressedAt &B) {
    return std::tuple(~A.Times, A.First, A.What, A.Of) <
           std::tuple(~B.Times, B.First, B.What, B.Of);
  });
  return List;
}

Expected<RegionCosts> regionCosts(const TraceStore &Store,
                                  const CallIndex *Calls, StepCodes &Codes,
                                  const PathQuery &Q, const Watch &W) {
  Passes P(Store, Calls, Codes, Q, W);
  if (Error E = P.learnFlow())
    return E;
  Regions R(Store.numThreads());
  AtomicTimes<Regions> D(P.Times, R);
  auto Counts = P.run("measuring", D);
  if (!Counts)
    return Counts.takeError();
  if (D.overflowed())
    return tooLong();
  RegionCosts Costs;
  for (auto &[Entry, C] : R.costs())
    Costs.Functions.push_back(C);
  llvm::sort(Costs.Functions, [](const RegionCost &A, const RegionCost &B) {
    return A.Work != B.Work ? A.Work > B.Work : A.Entry < B.Entry;
  });
  for (unsigned T = 0; T < Store.numThreads(); ++T)
    Costs.Threads.push_back(R.root(T, D.length(T)));
  return Costs;
}

} // namespace rw::dataflow
