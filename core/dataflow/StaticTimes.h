//===- StaticTimes.h - Critical paths of static dependences -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one version of a program: if an instruction once depended on another
// one, it always does, in whatever activation both of them ran. A first pass
// collects these pairs, a second one measures; calls are atomic.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_STATICTIMES_H
#define REWIND_DATAFLOW_STATICTIMES_H

#include "core/dataflow/Control.h"
#include "core/dataflow/Edges.h"
#include "llvm/ADT/DenseSet.h"

namespace rw::dataflow {

/// The sink of the first pass: which site ever depended on which.
class StaticGraph {
public:
  void edge(Site From, Site To, EdgeKind, bool, Moment) {
    if (To.Key >= Recent.size())
      Recent.resize(To.Key + 1 + To.Key / 2, ~uint32_t(0));
    if (Recent[To.Key] == From.Key)
      return;
    Recent[To.Key] = From.Key;
    Pairs.insert({To.Key, From.Key});
  }
  /// \p Latency: by static number.
  void finish(std::vector<uint32_t> Latency);

  /// The sites that instruction \p Static depends on.
  llvm::ArrayRef<uint32_t> sources(uint32_t Static) const {
    if (Static + 1 >= Starts.size())
      return {};
    return llvm::ArrayRef(Sources).slice(Starts[Static],
                                         Starts[Static + 1] - Starts[Static]);
  }
  uint32_t latency(uint32_t Static) const { return Latency[Static]; }
  size_t size() const { return Sources.size(); }

private:
  std::vector<uint32_t> Recent;
  llvm::DenseSet<std::pair<uint32_t, uint32_t>> Pairs;
  std::vector<uint32_t> Starts, Sources, Latency;
};

/// The second pass. Threads do not depend on one another.
class StaticTimes {
public:
  /// \p O: the control mode and its flow; latencies are the graph's.
  StaticTimes(const TimesOptions &O, const StaticGraph &Graph);
  void step(const Step &S);
  /// Ends all activations that are open.
  void finish();
  uint64_t length(unsigned Thread) const { return Threads[Thread].Total; }

private:
  /// The latest T + L of a site in the activation that runs: as its innermost
  /// one left it. An inner activation of the same code puts back what it found.
  struct Binding {
    uint64_t Activation = 0, Value = 0;
  };
  struct Frame {
    uint64_t Activation = 0; ///< ascending
    uint32_t Static = 0;     ///< of the call, or what was before
    bool CallBranches = false, AnyBranch = false;
    uint64_t Begin = 0; ///< in the caller's time
    uint64_t Max = 0, Control = 0;
    OpenBranches<uint64_t> Branches;
    std::vector<std::pair<uint32_t, Binding>> Undo;
  };
  struct Thread {
    std::vector<Frame> Frames;
    std::vector<Binding> Sites;
    std::optional<uint64_t> LeftEnd;
    uint64_t Total = 0;
  };

  uint64_t value(Thread &T, uint32_t Key) const;
  void raise(Thread &T, uint32_t Key, uint64_t Value);
  void branched(Frame &F, uint32_t Static, uint64_t Time);
  void leave(Thread &T);

  const TimesOptions O;
  const StaticGraph &Graph;
  std::vector<Thread> Threads;
  uint64_t Activations = 0;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_STATICTIMES_H
