//===- StaticTimes.cpp - Critical paths of static dependences -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/StaticTimes.h"
#include "llvm/ADT/STLExtras.h"

namespace rw::dataflow {

void StaticGraph::finish(std::vector<uint32_t> Of) {
  Latency = std::move(Of);
  std::vector<std::pair<uint32_t, uint32_t>> All(Pairs.begin(), Pairs.end());
  Pairs = {};
  llvm::sort(All);
  // Only instructions, not returns, depend on something.
  uint32_t Instructions =
      All.empty() ? 0 : Site{All.back().first}.instruction() + 1;
  Starts.assign(Instructions + 1, 0);
  for (auto [To, From] : All) {
    ++Starts[Site{To}.instruction() + 1];
    Sources.push_back(From);
  }
  for (uint32_t N = 0; N < Instructions; ++N)
    Starts[N + 1] += Starts[N];
}

StaticTimes::StaticTimes(const TimesOptions &O, const StaticGraph &Graph)
    : O(O), Graph(Graph), Threads(O.Threads) {
  for (Thread &T : Threads) {
    T.Frames.emplace_back();
    T.Frames.back().Activation = ++Activations;
  }
}

uint64_t StaticTimes::value(Thread &T, uint32_t Key) const {
  if (Key >= T.Sites.size() ||
      T.Sites[Key].Activation != T.Frames.back().Activation)
    return 0;
  return T.Sites[Key].Value;
}

void StaticTimes::raise(Thread &T, uint32_t Key, uint64_t Value) {
  if (Key >= T.Sites.size())
    T.Sites.resize(Key + 1 + Key / 2);
  Binding &B = T.Sites[Key];
  Frame &F = T.Frames.back();
  if (B.Activation == F.Activation) {
    B.Value = std::max(B.Value, Value);
    return;
  }
  auto It = llvm::partition_point(
      T.Frames, [&](const Frame &Of) { return Of.Activation < B.Activation; });
  bool Open = It != T.Frames.end() && It->Activation == B.Activation;
  if (Open)
    F.Undo.push_back({Key, B});
  B = {F.Activation, Value};
}

void StaticTimes::branched(Frame &F, uint32_t Static, uint64_t Time) {
  F.AnyBranch = true;
  if (O.Control == ControlMode::Exact)
    F.Branches.branch(O.Flow->meet(Static), Time);
  else if (O.Control != ControlMode::None)
    F.Control = std::max(F.Control, Time);
}

void StaticTimes::step(const Step &S) {
  Thread &T = Threads[S.Thread];
  Frame &F = T.Frames.back();
  const uint32_t Static = S.Code->Static;
  uint64_t At = F.Control;
  if (O.Control == ControlMode::Exact) {
    F.Branches.reach(Static);
    At = F.Branches.innermost();
  }
  if (S.Returns)
    At = std::max(At, F.Max);
  for (uint32_t Key : Graph.sources(Static))
    At = std::max(At, value(T, Key));
  uint64_t End = At + Graph.latency(Static);
  raise(T, Site::plain(Static).Key, End);
  F.Max = std::max(F.Max, End);
  bool CallBranches = S.Code->Branch && S.calls();
  if (S.Code->Branch) {
    F.AnyBranch = true;
    if (!CallBranches)
      branched(F, Static, End);
  }
  T.LeftEnd.reset();
  for (unsigned K = 0; K < S.Leaves; ++K)
    leave(T);
  for (unsigned K = 0; K < S.Enters; ++K) {
    bool Real = K == 0 && S.calls();
    uint64_t Begin = End;
    if (!Real) {
      // What a call would have waited for.
      Begin = K == 0 ? T.LeftEnd.value_or(0) : 0;
      for (uint32_t Key : Graph.sources(Static))
        Begin = std::max(Begin, value(T, Key));
    }
    Frame New;
    New.Activation = ++Activations;
    New.Static = Static;
    New.Begin = Begin;
    New.CallBranches = Real && CallBranches;
    T.Frames.push_back(std::move(New));
  }
}

void StaticTimes::leave(Thread &T) {
  Frame F = std::move(T.Frames.back());
  T.Frames.pop_back();
  if (T.Frames.empty()) {
    T.Total = F.Max;
    return;
  }
  for (auto &[Key, Was] : llvm::reverse(F.Undo))
    T.Sites[Key] = Was;
  Frame &Caller = T.Frames.back();
  uint64_t End = F.Begin + F.Max;
  raise(T, Site::returnOf(F.Static).Key, End);
  Caller.Max = std::max(Caller.Max, End);
  if (F.CallBranches)
    branched(Caller, F.Static, F.Begin);
  if (O.Control == ControlMode::All && F.AnyBranch) {
    Caller.AnyBranch = true;
    Caller.Control = std::max(Caller.Control, End);
  }
  T.LeftEnd = End;
}

void StaticTimes::finish() {
  for (Thread &T : Threads)
    while (!T.Frames.empty())
      leave(T);
}

} // namespace rw::dataflow
