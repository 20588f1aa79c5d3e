//===- CallDependences.h - Which calls wait for which -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Could two calls of a function have run side by side? After the Embla notes,
// A.1. A domain (Engine.h) in which each value carries the calls, made by the
// activation that it belongs to, that it comes from: directly, or through
// instructions of that activation, not through another of its calls. What
// happens inside of a call is the call's.
//  - A call depends on an earlier one of its activation if anything that it, or
//    an instruction in it, needs comes from there.
//  - The first instruction or call of the activation that directly needs what a
//    call made is where the two must join: the return could be that much later.
//  - Who overwrites what lies in the frame of an earlier call, or of one made
//    in it, does not depend on it (StackFrames.h).
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_CALLDEPENDENCES_H
#define REWIND_DATAFLOW_CALLDEPENDENCES_H

#include "core/dataflow/Activations.h"
#include "core/dataflow/Engine.h"
#include "core/dataflow/StackFrames.h"
#include <map>

namespace rw::dataflow {

/// Sets of small numbers, each kept once; the number of a set is its name. 0:
/// the empty one.
class NumberSets {
public:
  llvm::ArrayRef<uint32_t> of(uint32_t Set) const { return Sets[Set]; }
  uint32_t single(uint32_t Number) { return name({Number}); }
  /// Once there are too many sets, it is \p A alone.
  uint32_t both(uint32_t A, uint32_t B);
  bool overflowed() const { return Over; }

private:
  static constexpr size_t MaxNumbers = size_t(1) << 22; ///< in all sets
  uint32_t name(std::vector<uint32_t> Of);

  std::vector<std::vector<uint32_t>> Sets = {{}};
  std::map<std::vector<uint32_t>, uint32_t> Names = {{{}, 0}};
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> Unions;
  size_t Numbers = 0;
  bool Over = false;
};

class CallDependences {
public:
  using Stamp = LocalStamp;
  struct Node {
    uint32_t Set = 0;
  };
  struct Deferred {
    uint64_t Count = 0;
    uint32_t Static = 0;
  };

  /// Where a call was made and what it called.
  struct Site {
    uint32_t Static = 0; ///< of the last instruction before it
    uint64_t Entry = 0;
    bool operator<(const Site &O) const {
      return std::tie(Static, Entry) < std::tie(O.Static, O.Entry);
    }
  };
  /// What became of the calls that were made there. Distances are instructions
  /// of the thread between the return and where it was needed.
  struct Joins {
    Site Of;
    uint64_t Calls = 0, Joined = 0;
    uint64_t Least = ~uint64_t(0), Sum = 0;
    Moment First = 0; ///< the instruction before the first call
    Moment Where = 0; ///< the last instruction of the call with the least
    uint32_t By = 0;  ///< what needed that one
  };
  struct Pair {
    uint64_t Times = 0;
    Moment First = 0; ///< the instruction before the later call
  };

  /// \p Kinds: a bit for each Hazard that counts.
  CallDependences(unsigned Threads, unsigned Kinds) : Kinds(Kinds) {
    this->Threads.resize(Threads);
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
  void overwrites(Node &N, const Step &S, Range R, Stamp Of, EdgeKind Kind) {
    if (!isInFrame(R, Of))
      add(N, S, Of, Kind);
  }
  Node begin(const Step &S) {
    Frame &F = Threads[S.Thread].Frames.back();
    if (!F.Entry)
      F.Entry = S.Code->PC;
    return {};
  }
  void add(Node &N, const Step &S, Stamp Of, EdgeKind Kind) {
    if (!(Kinds >> unsigned(Kind.What) & 1))
      return;
    Thread &T = Threads[S.Thread];
    N.Set = needs(T, T.Frames.size() - 1, Of, N.Set, T.Count, S.Code->Static);
  }
  Stamp finish(Node &N, const Step &S, const NodeCode *, bool) {
    Thread &T = Threads[S.Thread];
    uint32_t A = T.Frames.back().Number;
    if (S.calls()) {
      T.CallSet = N.Set;
      A = T.CallNumber = Forest.open(A);
    }
    return localStamp(A, N.Set << 1);
  }
  void branched(const Step &, Stamp) {}
  void end(const Step &S) {
    Thread &T = Threads[S.Thread];
    ++T.Count;
    T.When = S.When;
    T.Stack.step(S);
  }
  void enter(const Step &S);
  void leave(unsigned Thread);
  Deferred defer(const Step &S, Stamp, unsigned) {
    return {Threads[S.Thread].Count, S.Code->Static};
  }
  Stamp undefer(const Deferred &D, Stamp Made, unsigned Depth, unsigned Thread,
                llvm::ArrayRef<Stamp> Needs);

  bool wantsCompaction() const {
    return Forest.isLarge() || Instances.size() >= InstanceLimit;
  }
  template <typename Fn> void compact(Fn RewriteAll);
  /// For tests.
  void setLimit(size_t N) {
    Forest.setLimit(N);
    InstanceLimit = N;
  }

  /// By number of site.
  llvm::ArrayRef<Joins> joins() const { return All; }
  /// By numbers of the earlier and of the later site; how many of the later
  /// calls depend on any of the earlier ones of their activation.
  const std::map<std::pair<uint32_t, uint32_t>, Pair> &pairs() const {
    return Pairs;
  }
  /// Too many: some pairs are missing.
  bool overflowed() const { return Sets.overflowed(); }

private:
  // The number in a stamp is twice a set, or twice an instance and 1.
  struct Instance {
    uint32_t Site = 0;
    uint64_t Returned = 0; ///< Thread::Count
    uint64_t Join = ~uint64_t(0);
    Moment When = 0; ///< its last instruction
    StackExtent Stack;
  };
  struct Frame {
    uint32_t Number = 0, CallNumber = 0;
    uint32_t Static = 0; ///< of the last instruction before it
    uint32_t Needs = 0;  ///< set of sites of the caller's
    uint64_t Count = 0;  ///< when it was called
    uint64_t Entry = 0;
    Moment When = 0;
  };
  struct Thread {
    std::vector<Frame> Frames;
    uint32_t CallNumber = 0, CallSet = 0;
    uint64_t Count = 0; ///< instructions that are over
    Moment When = 0;    ///< of the last one
    StackFrames Stack;
  };

  /// \p Set and the calls that \p Of comes from, if it belongs to the
  /// activation of frame \p Depth; if to one that called it, that call needs
  /// them. An instruction of \p Static needs it, at \p Count.
  uint32_t needs(Thread &T, size_t Depth, Stamp Of, uint32_t Set,
                 uint64_t Count, uint32_t Static);
  uint32_t setOf(uint32_t Number) {
    return Number & 1 ? Sets.single(Instances[Number >> 1].Site) : Number >> 1;
  }
  bool isInFrame(Range R, Stamp Of) {
    const uint32_t Number = numberOf(Forest.resolve(Of));
    return Number & 1 && Instances[Number >> 1].Stack.holds(R);
  }
  void join(uint32_t Number, uint64_t Count, uint32_t By);
  uint32_t siteOf(const Frame &F);

  const unsigned Kinds;
  Activations Forest;
  std::vector<Thread> Threads;
  NumberSets Sets;
  std::vector<Instance> Instances;
  size_t InstanceLimit = size_t(1) << 20;
  std::map<Site, uint32_t> Sites;
  std::vector<Joins> All;
  std::map<std::pair<uint32_t, uint32_t>, Pair> Pairs;
};

template <typename Fn> void CallDependences::compact(Fn RewriteAll) {
  RewriteAll([&](Stamp S) { return Forest.resolve(S); });
  Renumbering R = Forest.compact();
  KeptEntries<Instance> Kept(Instances);
  RewriteAll([&](Stamp S) {
    uint32_t Number = numberOf(S);
    if (Number & 1)
      Number = Kept.keep(Number >> 1) << 1 | 1;
    return localStamp(R.now(activationOf(S)), Number);
  });
  Instances = Kept.take();
  // Else it would soon begin anew.
  InstanceLimit = std::max(InstanceLimit, 2 * Instances.size());
  for (Thread &T : Threads)
    for (Frame &F : T.Frames) {
      F.Number = R.now(F.Number);
      F.CallNumber = R.now(F.CallNumber);
    }
}

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_CALLDEPENDENCES_H
