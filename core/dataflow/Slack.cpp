//===- Slack.cpp - How much later something could have been ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Slack.h"
#include "core/dataflow/StepReader.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace rw::dataflow {

ArrayRef<uint32_t> LoggedTimes::numbers() {
  if (After.size() > 1)
    std::iter_swap(After.begin(), llvm::max_element(After));
  Numbers.clear();
  for (Stamp S : After)
    Numbers.push_back(Time::node(S));
  return Numbers;
}

LoggedTimes::Stamp LoggedTimes::latest(Stamp A, Stamp B, bool &) {
  Stamp Latest = std::max(A, B);
  if (A == B)
    return A;
  SlackLog::Record R;
  R.What = SlackLog::Join;
  R.Number = ++Nodes;
  R.Start = Time::time(Latest);
  const uint32_t Both[] = {Time::node(Latest), Time::node(std::min(A, B))};
  R.After = Both;
  Log.add(R);
  return Time::make(R.Start, R.Number);
}

LoggedTimes::Stamp LoggedTimes::finish(Node &N, const Step &S,
                                       const NodeCode *Code, bool Stack) {
  Stamp End = Base::finish(N, S, Code, Stack);
  SlackLog::Record R;
  R.NewStep = std::exchange(NewStep, false);
  // As the engine calls branched().
  R.Branch = S.Code->Branch && (!Code || S.Code->Nodes.size() == 1 ||
                                (Code->Flags & NodeCode::Flow));
  R.Thread = S.Thread;
  R.When = S.When;
  R.Static = S.Code->Static;
  R.Start = Time::time(N.After);
  R.Latency = uint32_t(Time::time(End) - R.Start);
  R.Number = Time::node(End);
  R.After = numbers();
  Log.add(R);
  return End;
}

LoggedTimes::Stamp LoggedTimes::undefer(const Deferred &D, Stamp Made,
                                        unsigned Depth, unsigned Thread,
                                        ArrayRef<Stamp> Needs) {
  Stamp End = Base::undefer(D, Made, Depth, Thread, Needs);
  SlackLog::Record R;
  R.What = SlackLog::Later;
  R.Number = D.Node;
  R.Start = Time::time(End) - D.Latency;
  SmallVector<uint32_t, 4> Of;
  for (Stamp S : Needs)
    if (Time::node(S))
      Of.push_back(Time::node(S));
  R.After = Of;
  if (!Of.empty())
    Log.add(R);
  return End;
}

void LoggedTimes::frame(SlackLog::Kind Kind, unsigned Thread) {
  SlackLog::Record R;
  R.What = Kind;
  R.Thread = ThreadIndex(Thread);
  R.Returns = Kind == SlackLog::Leave && Returned;
  Log.add(R);
}

namespace {

/// What nodes that come earlier are allowed: the latest end.
class Sweep {
public:
  Sweep(const TimesOptions &O, uint64_t Length) : O(O), Length(Length) {
    Threads.resize(O.Threads);
    for (Thread &T : Threads)
      T.Frames.push_back({Length, ~uint64_t(0)});
  }

  /// The slack of a node; of anything else, nothing.
  std::optional<uint64_t> record(const SlackLog::Record &R) {
    switch (R.What) {
    case SlackLog::Join:
      limit(R.After, taken(R.Number));
      return std::nullopt;
    case SlackLog::Later:
      Delayed[R.Number] = {R.Start, {R.After.begin(), R.After.end()}};
      return std::nullopt;
    case SlackLog::Enter:
      enter(Threads[R.Thread]);
      return std::nullopt;
    case SlackLog::Leave:
      leave(Threads[R.Thread], R.Returns);
      return std::nullopt;
    case SlackLog::Node:
      return node(R);
    }
    return std::nullopt;
  }

private:
  struct Frame {
    uint64_t Limit;  ///< of the return that all in it come before
    uint64_t Starts; ///< the earliest of the latest starts since, inside
  };
  struct Thread {
    std::vector<Frame> Frames;
    uint64_t Starts = ~uint64_t(0); ///< of all since
    // About the instruction that is swept over.
    uint64_t StepLimit = ~uint64_t(0), StepStarts = ~uint64_t(0);
    bool Returns = false;
  };

  /// Back over the beginning of an activation: it is over.
  void enter(Thread &T) {
    Frame Inner = T.Frames.back();
    T.Frames.pop_back();
    if (O.Structure)
      T.StepLimit = std::min(T.StepLimit, Inner.Starts);
    T.Frames.back().Starts = std::min(T.Frames.back().Starts, Inner.Starts);
  }
  /// Back over its end: it begins.
  void leave(Thread &T, bool Returns) {
    T.Frames.push_back({T.Frames.back().Limit, ~uint64_t(0)});
    T.Returns = Returns;
  }

  uint64_t node(const SlackLog::Record &R) {
    Thread &T = Threads[R.Thread];
    Frame &F = T.Frames.back();
    uint64_t Start = R.Start, End = std::min(taken(R.Number), T.StepLimit);
    ArrayRef<uint32_t> Late;
    auto Found = Delayed.find(R.Number);
    if (Found != Delayed.end()) {
      Start = Found->second.Start;
      Late = Found->second.After;
    }
    // A return is limited by whatever limits its caller.
    if (O.Structure)
      End = std::min(End, F.Limit);
    if (R.Branch && O.Control == ControlMode::Call)
      End = std::min(End, F.Starts);
    if (R.Branch && O.Control == ControlMode::All)
      End = std::min(End, T.Starts);
    const uint64_t Latest = End - R.Latency;
    assert(Latest >= Start && "a node that some others did not wait for");
    limit(R.After, Latest);
    limit(Late, Latest);
    if (Found != Delayed.end())
      Delayed.erase(Found);
    if (T.Returns && O.Structure)
      F.Limit = std::min(F.Limit, Latest);
    T.StepStarts = std::min(T.StepStarts, Latest);
    if (R.NewStep) {
      F.Starts = std::min(F.Starts, T.StepStarts);
      T.Starts = std::min(T.Starts, T.StepStarts);
      T.StepLimit = T.StepStarts = ~uint64_t(0);
      T.Returns = false;
    }
    return Latest - Start;
  }

  void limit(ArrayRef<uint32_t> Nodes, uint64_t End) {
    for (uint32_t N : Nodes) {
      auto [It, New] = Limits.try_emplace(N, uint32_t(End));
      if (!New)
        It->second = std::min(It->second, uint32_t(End));
    }
  }
  uint64_t taken(uint32_t Number) {
    auto It = Limits.find(Number);
    if (It == Limits.end())
      return Length;
    uint64_t End = It->second;
    Limits.erase(It);
    return End;
  }

  const TimesOptions &O;
  const uint64_t Length;
  std::vector<Thread> Threads;
  DenseMap<uint32_t, uint32_t> Limits; ///< of nodes that come earlier
  struct Delay {
    uint64_t Start;
    SmallVector<uint32_t, 4> After;
  };
  DenseMap<uint32_t, Delay> Delayed;
};

} // namespace

Error forEachSlack(SlackLog &Log, const TimesOptions &O, uint64_t Length,
                   const Watch &W,
                   function_ref<void(const SlackLog::Record &, uint64_t)> F) {
  Sweep Back(O, Length);
  uint64_t Total = 0;
  std::optional<StepPace> P;
  return Log.readBackwards([&](const SlackLog::Record &R) -> Error {
    if (R.What == SlackLog::Node) {
      if (!P) {
        Total = R.When;
        P.emplace(W, "sweeping back", Total);
      }
      if (Error E = P->at(Total - std::min(R.When, Total)))
        return E;
    }
    if (std::optional<uint64_t> Slack = Back.record(R))
      F(R, *Slack);
    return Error::success();
  });
}

} // namespace rw::dataflow
