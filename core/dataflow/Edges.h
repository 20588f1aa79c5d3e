//===- Edges.h - Dependences between instructions of activations -*- C++ -*-==//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A domain (Engine.h) that tells every dependence as the nearest common
// ancestor of its two ends sees it: between two instructions of that
// activation, where what happened inside of a call is the call's. Who
// overwrites what lies in the frame of a call that is over does not depend on
// it, if steps tell the stack pointer (StackFrames.h).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_EDGES_H
#define REWIND_DATAFLOW_EDGES_H

#include "core/dataflow/Activations.h"
#include "core/dataflow/Engine.h"
#include "core/dataflow/StackFrames.h"
#include "core/dataflow/Times.h"

namespace rw::dataflow {

/// An end of a dependence in an activation: a static number, and whether it is
/// the return of the call that was made there.
struct Site {
  uint32_t Key = 0;
  static Site plain(uint32_t Static) { return {Static * 2}; }
  static Site returnOf(uint32_t Static) { return {Static * 2 + 1}; }
  uint32_t instruction() const { return Key / 2; }
  bool isReturn() const { return Key & 1; }
};

/// \p Sink: void edge(Site From, Site To, EdgeKind, bool Enters, Moment When):
/// Enters: the target is inside of the call To. When: that of the inner target.
template <class Sink> class EdgeDomain {
public:
  using Stamp = LocalStamp;
  struct Node {};
  struct Deferred {
    uint32_t Static = 0;
    Moment When = 0;
  };

  EdgeDomain(unsigned Threads, const Latencies &Latency, Sink &Out)
      : Latency(Latency), Out(Out), Threads(Threads) {
    for (Thread &T : this->Threads) {
      T.Frames.emplace_back();
      T.Frames.back().Number = Forest.open(0);
    }
  }

  Stamp latest(Stamp A, Stamp B, bool &Both) {
    Both = Forest.resolve(A) != Forest.resolve(B);
    return B;
  }
  Stamp canonical(Stamp S) { return Forest.resolve(S); }
  /// Only calls of one site that have a frame there are told apart.
  Stamp canonicalAt(Stamp S, Range R) {
    S = Forest.resolve(S);
    const uint32_t Number = numberOf(S);
    if (!isEnded(Number) || Ended[Number >> 1].Stack.overlaps(R))
      return S;
    return localStamp(activationOf(S), number(Ended[Number >> 1].Return));
  }
  void overwrites(Node &N, const Step &S, Range R, Stamp Of, EdgeKind Kind) {
    const uint32_t Number = numberOf(Of = Forest.resolve(Of));
    if (!isEnded(Number) || !Ended[Number >> 1].Stack.holds(R))
      add(N, S, Of, Kind);
  }
  Node begin(const Step &) { return {}; }
  void add(Node &, const Step &S, Stamp Of, EdgeKind Kind) {
    tell(S.Thread, Threads[S.Thread].Frames.size() - 1, Of, S.Code->Static,
         Kind, S.When);
  }
  Stamp finish(Node &, const Step &S, const NodeCode *Code, bool Stack) {
    uint32_t Static = S.Code->Static;
    if (Static >= MaxLatency.size())
      MaxLatency.resize(Static + 1 + Static / 2);
    MaxLatency[Static] =
        std::max(MaxLatency[Static], Latency.of(S, Code, Stack));
    Thread &T = Threads[S.Thread];
    uint32_t A = T.Frames.back().Number;
    if (S.calls())
      A = T.CallNumber = Forest.open(A);
    return localStamp(A, number(Site::plain(Static)));
  }
  void branched(const Step &, Stamp) {}
  void end(const Step &S) { Threads[S.Thread].Stack.step(S); }
  void enter(const Step &S) {
    Thread &T = Threads[S.Thread];
    Frame F;
    F.Static = S.Code->Static;
    F.CallNumber = std::exchange(T.CallNumber, 0);
    F.Number = Forest.open(T.Frames.back().Number);
    T.Frames.push_back(F);
    T.Stack.enter();
  }
  void leave(unsigned Number) {
    Thread &T = Threads[Number];
    Frame F = T.Frames.back();
    T.Frames.pop_back();
    const StackExtent Stack = T.Stack.leave();
    if (T.Frames.empty())
      return;
    const Site Return = Site::returnOf(F.Static);
    uint32_t As = number(Return);
    if (!Stack.empty()) {
      As = uint32_t(Ended.size()) << 1 | 1;
      Ended.push_back({Return, Stack});
    }
    Forest.close(F.Number, As);
    if (F.CallNumber)
      Forest.close(F.CallNumber, number(Site::plain(F.Static)));
  }
  Deferred defer(const Step &S, Stamp, unsigned) {
    return {S.Code->Static, S.When};
  }
  Stamp undefer(const Deferred &D, Stamp Made, unsigned Depth, unsigned Thread,
                llvm::ArrayRef<Stamp> Needs) {
    for (Stamp S : Needs)
      if (S)
        tell(Thread, Depth, S, D.Static, {Storage::Register, Hazard::RAW},
             D.When);
    return Made;
  }

  bool wantsCompaction() const {
    return Forest.isLarge() || Ended.size() >= EndedLimit;
  }
  /// For tests.
  void setLimit(size_t N) {
    Forest.setLimit(N);
    EndedLimit = N;
  }
  template <typename Fn> void compact(Fn RewriteAll) {
    RewriteAll([&](Stamp S) { return Forest.resolve(S); });
    Renumbering R = Forest.compact();
    KeptEntries<EndedCall> Kept(Ended);
    RewriteAll([&](Stamp S) {
      uint32_t Number = numberOf(S);
      if (isEnded(Number))
        Number = Kept.keep(Number >> 1) << 1 | 1;
      return localStamp(R.now(activationOf(S)), Number);
    });
    Ended = Kept.take();
    // Else it would soon begin anew.
    EndedLimit = std::max(EndedLimit, 2 * Ended.size());
    for (Thread &T : Threads)
      for (Frame &F : T.Frames) {
        F.Number = R.now(F.Number);
        F.CallNumber = R.now(F.CallNumber);
      }
  }

  /// By static number: the longest that any execution took.
  const std::vector<uint32_t> &latencies() const { return MaxLatency; }
  /// Dependences on another thread, which have no common ancestor.
  uint64_t crossings() const { return Crossings; }

private:
  struct Frame {
    uint32_t Number = 0, CallNumber = 0;
    uint32_t Static = 0; ///< of the last instruction before it
  };
  struct Thread {
    std::vector<Frame> Frames;
    uint32_t CallNumber = 0;
    StackFrames Stack;
  };
  /// A call with a frame, as long as a stamp tells of it.
  struct EndedCall {
    Site Return;
    StackExtent Stack;
  };

  // The number in a stamp is twice a site's, or twice that of a call that is
  // over, and 1.
  static uint32_t number(Site S) { return S.Key << 1; }
  static bool isEnded(uint32_t Number) { return Number & 1; }
  Site siteOf(uint32_t Number) const {
    return isEnded(Number) ? Ended[Number >> 1].Return : Site{Number >> 1};
  }

  void tell(unsigned Number, size_t Depth, Stamp Of, uint32_t Static,
            EdgeKind Kind, Moment When) {
    Of = Forest.resolve(Of);
    const std::vector<Frame> &Frames = Threads[Number].Frames;
    uint32_t A = activationOf(Of);
    const Site From = siteOf(numberOf(Of));
    if (Frames[Depth].Number == A) {
      Out.edge(From, Site::plain(Static), Kind, false, When);
      return;
    }
    auto It = std::upper_bound(
        Frames.begin(), Frames.begin() + Depth + 1, A,
        [](uint32_t A, const Frame &F) { return A < F.Number; });
    if (It == Frames.begin() || It[-1].Number != A) {
      // The call of an activation that is still open: that is structure.
      bool Pending = It != Frames.end() && It->CallNumber == A;
      Crossings += !Pending;
      return;
    }
    Out.edge(From, Site::plain(It->Static), Kind, true, When);
  }

  const Latencies Latency;
  Sink &Out;
  Activations Forest;
  std::vector<Thread> Threads;
  std::vector<EndedCall> Ended;
  size_t EndedLimit = size_t(1) << 20;
  std::vector<uint32_t> MaxLatency;
  uint64_t Crossings = 0;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_EDGES_H
