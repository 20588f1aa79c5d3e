//===- Times.h - When each node could run at the earliest -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two domains (Engine.h) that measure critical paths. The time of a node is
// the maximum of T + L over the nodes that it depends on; a stamp is T + L.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_TIMES_H
#define REWIND_DATAFLOW_TIMES_H

#include "core/dataflow/Activations.h"
#include "core/dataflow/Control.h"
#include "core/dataflow/Engine.h"

namespace rw::dataflow {

struct Latencies {
  uint32_t Load = 1, StackLoad = 1;
  /// The latency of node \p N of step \p S; null: of the whole step. A
  /// written-back address is ready at once, however long the access takes.
  uint32_t of(const Step &S, const NodeCode *N, bool Stack) const {
    if (N && N->Flags & NodeCode::Writeback)
      return std::min(S.Code->Latency, 1u);
    if (!N || !N->Load || S.Code->OwnLatency)
      return S.Code->Latency;
    return Stack ? StackLoad : Load;
  }
};

struct TimesOptions {
  unsigned Threads = 1;
  /// Whether nothing in a call starts before it and it ends after all of that.
  bool Structure = true;
  ControlMode Control = ControlMode::None;
  const ControlFlow *Flow = nullptr; ///< for exact control; finished
  Latencies Latency;
};

/// What a stamp of absolute times is: the time alone.
template <typename Word> struct PlainTime {
  using Stamp = Word;
  static constexpr uint64_t Longest = Word(~Word(0)) >> 1;
  static uint64_t time(uint64_t S) { return S; }
  static uint32_t node(uint64_t) { return 0; }
  static uint64_t make(uint64_t Time, uint32_t) { return Time; }
};
/// The time, and the number of the node that it is the end of: so the latest
/// stamp also tells which node it was that others had to wait for.
struct TracedTime {
  using Stamp = uint64_t;
  static constexpr uint64_t Longest = ~uint32_t(0) >> 1;
  static uint64_t time(uint64_t S) { return S >> 32; }
  static uint32_t node(uint64_t S) { return uint32_t(S); }
  static uint64_t make(uint64_t Time, uint32_t Node) {
    return Time << 32 | Node;
  }
};

/// Gets the time of each node as it is known. Nodes are numbered from 1 on, in
/// that order.
struct IgnoreTimes {
  /// \p After: of TracedTime, the node that it waited for; 0: none.
  void node(const Step &, uint64_t /*T*/, uint32_t /*L*/, uint32_t /*After*/) {}
  /// Node number \p Node, a save, is later than was told.
  void later(uint32_t /*Node*/, uint64_t /*T*/, uint32_t /*After*/) {}
  /// Atomic calls: a step is over, all of which takes \p Latency; what it
  /// enters, and leaves, comes next.
  void worked(const Step &, uint32_t /*Latency*/) {}
  /// Atomic calls: an activation begins in a thread.
  void entered(unsigned /*Thread*/) {}
  /// Atomic calls: the innermost activation of a thread has ended; when its
  /// call starts, in the caller's time, and how long it takes after the call.
  void left(unsigned /*Thread*/, uint64_t /*Start*/, uint64_t /*Length*/) {}
};

/// Absolute times, one for all calls: fine and none. Several threads may
/// depend on one another through memory. \p Time: PlainTime or TracedTime; what
/// is longer than it can tell sets overflowed().
template <class Time, class Listener = IgnoreTimes> class FineTimes {
public:
  using Stamp = typename Time::Stamp;
  struct Node {
    uint64_t After; ///< the latest stamp
  };
  struct Deferred {
    uint64_t T;
    uint32_t Latency;
    uint32_t Node;
  };

  FineTimes(const TimesOptions &O, Listener &L)
      : O(O), L(L), Threads(O.Threads) {
    for (Thread &T : Threads)
      T.Frames.emplace_back();
  }

  Stamp latest(Stamp A, Stamp B, bool &) const { return std::max(A, B); }
  Stamp canonical(Stamp S) const { return S; }

  Node begin(const Step &S) {
    Thread &T = Threads[S.Thread];
    Frame &F = T.Frames.back();
    uint64_t At = F.Begin;
    if (O.Control == ControlMode::Exact) {
      F.Branches.reach(S.Code->Static);
      At = std::max(At, F.Branches.innermost());
    } else {
      At = std::max(At, F.Control);
    }
    return {At};
  }
  void add(Node &N, const Step &, Stamp S, EdgeKind) {
    N.After = std::max<uint64_t>(N.After, S);
  }
  Stamp finish(Node &N, const Step &S, const NodeCode *Code, bool Stack) {
    uint32_t Latency = O.Latency.of(S, Code, Stack);
    Frame &F = Threads[S.Thread].Frames.back();
    if (S.Returns && O.Structure)
      N.After = std::max(N.After, F.Max);
    uint64_t T = Time::time(N.After);
    Stamp End = stamp(T + Latency, ++Nodes);
    F.Max = std::max<uint64_t>(F.Max, End);
    StepEnd = std::max<uint64_t>(StepEnd, End);
    StepWork = std::max(StepWork, Latency);
    L.node(S, T, Latency, Time::node(N.After));
    return End;
  }
  void branched(const Step &S, Stamp At) {
    Frame &F = Threads[S.Thread].Frames.back();
    if (O.Control == ControlMode::Exact)
      F.Branches.branch(O.Flow->meet(S.Code->Static), At);
    else if (O.Control != ControlMode::None)
      F.Control = std::max<uint64_t>(F.Control, At);
  }
  void end(const Step &S) {
    Work += StepWork;
    Thread &T = Threads[S.Thread];
    T.LastEnd = StepEnd;
    T.LastFirst = Ended + 1;
    Ended = Nodes;
    StepEnd = 0;
    StepWork = 0;
    // No instruction has so many nodes that their numbers begin anew.
    Over |= Nodes > ~uint32_t(0) - 65536;
  }
  void enter(const Step &S) {
    Thread &T = Threads[S.Thread];
    Frame F;
    const Frame &Caller = T.Frames.back();
    if (O.Control != ControlMode::Exact)
      F.Control = Caller.Control;
    if (O.Structure)
      F.Begin = F.Max = std::max(Caller.Begin, T.LastEnd);
    T.Frames.push_back(std::move(F));
  }
  void leave(unsigned Number) {
    std::vector<Frame> &Frames = Threads[Number].Frames;
    Frame F = std::move(Frames.back());
    Frames.pop_back();
    if (Frames.empty()) {
      Total = std::max(Total, F.Max);
      return;
    }
    Frames.back().Max = std::max(Frames.back().Max, F.Max);
    if (O.Control == ControlMode::All)
      Frames.back().Control = std::max(Frames.back().Control, F.Control);
  }

  /// \p Node: in the step, whose nodes are the latest ones.
  Deferred defer(const Step &S, Stamp Made, unsigned Node) {
    uint32_t First = Nodes + 1 - uint32_t(S.Code->Nodes.size());
    return {Time::time(Made) - S.Code->Latency, S.Code->Latency, First + Node};
  }
  Stamp undefer(const Deferred &D, Stamp, unsigned Depth, unsigned Thread,
                llvm::ArrayRef<Stamp> Needs) {
    uint64_t After = 0;
    for (Stamp S : Needs)
      After = std::max<uint64_t>(After, S);
    uint64_t T = std::max(D.T, Time::time(After));
    if (T > D.T)
      L.later(D.Node, T, Time::node(After));
    Stamp End = stamp(T + D.Latency, D.Node);
    auto &Of = Threads[Thread];
    Frame &F = Of.Frames[Depth];
    F.Max = std::max<uint64_t>(F.Max, End);
    // Its activation may end, and another one begin, right after it.
    if (D.Node >= Of.LastFirst)
      Of.LastEnd = std::max<uint64_t>(Of.LastEnd, End);
    return End;
  }

  bool wantsCompaction() const { return false; }
  template <typename Fn> void compact(Fn) {}

  /// After the engine has finished.
  uint64_t length() const { return Time::time(Total); }
  /// The node that ends last, if Time is TracedTime.
  uint32_t lastNode() const { return Time::node(Total); }
  uint64_t work() const { return Work; }
  bool overflowed() const { return Over; }

protected:
  struct Frame {
    // Stamps.
    uint64_t Begin = 0;   ///< nothing starts before
    uint64_t Max = 0;     ///< the latest end inside
    uint64_t Control = 0; ///< of the latest branch that counts
    OpenBranches<uint64_t> Branches;
  };
  struct Thread {
    std::vector<Frame> Frames;
    uint64_t LastEnd = 0;   ///< of the latest step
    uint32_t LastFirst = 0; ///< number of its first node
  };

  Stamp stamp(uint64_t End, uint32_t Node) {
    Over |= End > Time::Longest;
    return Stamp(Time::make(std::min(End, Time::Longest), Node));
  }

  const TimesOptions O;
  Listener &L;
  std::vector<Thread> Threads;
  uint64_t StepEnd = 0, Total = 0; ///< stamps
  uint64_t Work = 0;
  uint32_t StepWork = 0, Nodes = 0;
  uint32_t Ended = 0; ///< nodes of steps that are over
  bool Over = false;
};

/// Times in an activation count from its start, and a call is one unit: it
/// starts when all that it reads is ready, and all that it makes is ready when
/// it ends. Activations of several threads do not depend on one another here;
/// crossings() counts where they should.
template <class Listener = IgnoreTimes> class AtomicTimes {
public:
  using Stamp = LocalStamp;
  struct Node {
    uint64_t T;
  };
  struct Deferred {};

  AtomicTimes(const TimesOptions &O, Listener &L)
      : O(O), L(L), Threads(O.Threads) {
    for (Thread &T : Threads) {
      T.Frames.emplace_back();
      T.Frames.back().Number = Forest.open(0);
    }
  }

  Stamp latest(Stamp A, Stamp B, bool &Both) {
    A = Forest.resolve(A);
    B = Forest.resolve(B);
    Both = activationOf(A) != activationOf(B);
    return std::max(A, B);
  }
  Stamp canonical(Stamp S) { return Forest.resolve(S); }

  Node begin(const Step &S) {
    Frame &F = Threads[S.Thread].Frames.back();
    uint64_t At = F.Control;
    if (O.Control == ControlMode::Exact) {
      F.Branches.reach(S.Code->Static);
      At = F.Branches.innermost();
    }
    return {At};
  }
  void add(Node &N, const Step &S, Stamp Of, EdgeKind) {
    N.T =
        std::max(N.T, needs(S.Thread, Threads[S.Thread].Frames.size() - 1, Of));
  }
  Stamp finish(Node &N, const Step &S, const NodeCode *Code, bool Stack) {
    uint32_t Latency = O.Latency.of(S, Code, Stack);
    StepWork = std::max(StepWork, Latency);
    Thread &T = Threads[S.Thread];
    Frame &F = T.Frames.back();
    if (S.calls()) {
      // When it can start is known when its activation has ended.
      T.CallStart = N.T;
      T.CallLatency = Latency;
      T.CallNumber = Forest.open(F.Number);
      return localStamp(T.CallNumber, 0);
    }
    if (S.Returns)
      N.T = std::max(N.T, F.Max);
    L.node(S, N.T, Latency, 0);
    uint64_t End = bounded(N.T + Latency);
    F.Max = std::max(F.Max, End);
    return localStamp(F.Number, uint32_t(End));
  }
  void branched(const Step &S, Stamp At) {
    Frame &F = Threads[S.Thread].Frames.back();
    F.AnyBranch = true;
    Threads[S.Thread].CallBranches = S.calls();
    if (!S.calls())
      branchedAt(F, S.Code->Static, numberOf(At));
  }
  void end(const Step &S) {
    Work += StepWork;
    L.worked(S, StepWork);
    StepWork = 0;
  }
  void enter(const Step &S) {
    Thread &T = Threads[S.Thread];
    Frame F;
    F.Static = S.Code->Static;
    if (T.CallNumber) {
      F.CallNumber = T.CallNumber;
      F.Start = T.CallStart;
      F.Latency = T.CallLatency;
      F.CallBranches = std::exchange(T.CallBranches, false);
      T.CallNumber = 0;
    } else if (S.Leaves && T.LeftEnd) {
      F.Start = *T.LeftEnd;
    }
    T.LeftEnd.reset();
    F.Number = Forest.open(T.Frames.back().Number);
    T.Frames.push_back(std::move(F));
    L.entered(S.Thread);
  }
  void leave(unsigned Number) {
    Thread &T = Threads[Number];
    Frame F = std::move(T.Frames.back());
    T.Frames.pop_back();
    if (T.Frames.empty()) {
      T.Total = F.Max;
      return;
    }
    L.left(Number, F.Start, F.Max);
    Frame &Caller = T.Frames.back();
    uint64_t Begin = bounded(F.Start + F.Latency);
    uint64_t End = bounded(Begin + F.Max);
    Forest.close(F.Number, uint32_t(End));
    if (F.CallNumber)
      Forest.close(F.CallNumber, uint32_t(Begin));
    Caller.Max = std::max(Caller.Max, End);
    T.LeftEnd = End;
    if (F.CallBranches)
      branchedAt(Caller, F.Static, Begin);
    if (O.Control == ControlMode::All && F.AnyBranch) {
      Caller.AnyBranch = true;
      Caller.Control = std::max(Caller.Control, End);
    }
  }

  Deferred defer(const Step &, Stamp, unsigned) { return {}; }
  /// What was live in came from outside: the activation starts later.
  Stamp undefer(const Deferred &, Stamp Made, unsigned Depth, unsigned Thread,
                llvm::ArrayRef<Stamp> Needs) {
    for (Stamp S : Needs)
      if (S)
        needs(Thread, Depth, S);
    return Made;
  }

  bool wantsCompaction() const { return Forest.isLarge(); }
  Activations &forest() { return Forest; }
  /// \p RewriteAll applies a function to all stamps.
  template <typename Fn> void compact(Fn RewriteAll) {
    RewriteAll([&](Stamp S) { return Forest.resolve(S); });
    Renumbering R = Forest.compact();
    RewriteAll([&](Stamp S) {
      return localStamp(R.now(activationOf(S)), numberOf(S));
    });
    for (Thread &T : Threads)
      for (Frame &F : T.Frames) {
        F.Number = R.now(F.Number);
        F.CallNumber = R.now(F.CallNumber);
      }
  }

  /// After the engine has finished: of a thread.
  uint64_t length(unsigned Thread) const { return Threads[Thread].Total; }
  uint64_t work() const { return Work; }
  uint64_t crossings() const { return Crossings; }
  bool overflowed() const { return Over; }

private:
  struct Frame {
    uint32_t Number = 0;
    uint32_t CallNumber = 0; ///< of what the call itself wrote; 0: no call
    uint32_t Static = 0;     ///< of the call
    uint32_t Latency = 0;    ///< of the call
    bool CallBranches = false, AnyBranch = false;
    uint64_t Start = 0; ///< of the call, in the caller's time
    uint64_t Max = 0, Control = 0;
    OpenBranches<uint64_t> Branches;
  };
  struct Thread {
    std::vector<Frame> Frames;
    uint32_t CallNumber = 0, CallLatency = 0;
    uint64_t CallStart = 0;
    bool CallBranches = false;
    std::optional<uint64_t> LeftEnd;
    uint64_t Total = 0;
  };

  /// When \p Of is ready in the time of frame \p Depth; what is outside of that
  /// moves the call that is between.
  uint64_t needs(unsigned Number, size_t Depth, Stamp Of) {
    Of = Forest.resolve(Of);
    std::vector<Frame> &Frames = Threads[Number].Frames;
    uint32_t A = activationOf(Of);
    if (Frames[Depth].Number == A)
      return numberOf(Of);
    if (!A)
      return 0;
    auto It = std::upper_bound(
        Frames.begin(), Frames.begin() + Depth + 1, A,
        [](uint32_t A, const Frame &F) { return A < F.Number; });
    if (It == Frames.begin() || It[-1].Number != A) {
      // The call of an activation that is still open: all inside is after it.
      bool Pending = It != Frames.end() && It->CallNumber == A;
      Crossings += !Pending;
      return 0;
    }
    if (It != Frames.begin() + Depth + 1)
      It->Start = std::max<uint64_t>(It->Start, numberOf(Of));
    return 0;
  }
  void branchedAt(Frame &F, uint32_t Static, uint64_t Time) {
    if (O.Control == ControlMode::Exact)
      F.Branches.branch(O.Flow->meet(Static), Time);
    else if (O.Control != ControlMode::None)
      F.Control = std::max(F.Control, Time);
  }
  uint64_t bounded(uint64_t End) {
    constexpr uint64_t Longest = ~uint32_t(0) - 1;
    Over |= End > Longest;
    return std::min(End, Longest);
  }

  const TimesOptions O;
  Listener &L;
  Activations Forest;
  std::vector<Thread> Threads;
  uint64_t Work = 0, Crossings = 0;
  uint32_t StepWork = 0;
  bool Over = false;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_TIMES_H
