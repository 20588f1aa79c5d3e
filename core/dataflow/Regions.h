//===- Regions.h - Work and span of each function ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_REGIONS_H
#define REWIND_DATAFLOW_REGIONS_H

#include "core/dataflow/Times.h"
#include "core/support/NumberMap.h"

namespace rw::dataflow {

/// What the activations of a function had in them.
struct RegionCost {
  uint64_t Entry = 0; ///< address
  uint64_t Calls = 0;
  /// Sums of its outermost activations: what is nested in one is in it already.
  /// Latencies, with those of callees, as they were called.
  uint64_t Work = 0;
  uint64_t Span = 0; ///< critical paths, calls atomic
  /// Summed over all activations.
  uint64_t Spans = 0;
  uint64_t Children = 0; ///< spans of what it called, one after the other
  uint64_t Own = 0;      ///< latencies of its own instructions
  double parallelism() const { return Span ? double(Work) / double(Span) : 1; }
  /// Kremlin: how parallel it is by itself, not by what it calls.
  double selfParallelism() const {
    return Spans ? double(Children + Own) / double(Spans) : 1;
  }
};

/// Hears AtomicTimes, and sums up activations as they end.
class Regions : public IgnoreTimes {
public:
  explicit Regions(unsigned Threads)
      : Stacks(Threads, std::vector<Open>(1)), Depths(Threads) {}

  void worked(const Step &S, uint32_t Latency) {
    std::vector<Open> &Stack = Stacks[S.Thread];
    Open &Top = Stack.back();
    if (!Top.Entered) {
      Top.Entered = true;
      Top.Entry = S.Code->PC;
      if (Stack.size() > 1)
        ++Depths[S.Thread][Top.Entry];
    }
    Top.Own += Latency;
    Top.Work += Latency;
  }
  void entered(unsigned Thread) { Stacks[Thread].emplace_back(); }
  void left(unsigned Thread, uint64_t, uint64_t Length) {
    std::vector<Open> &Stack = Stacks[Thread];
    Open O = Stack.back();
    Stack.pop_back();
    if (O.Entered)
      close(O, Thread, Length);
    Stack.back().Work += O.Work;
    Stack.back().Children += Length;
  }

  /// By entry; of threads' roots none.
  const NumberMap<RegionCost> &costs() const { return Costs; }
  /// All that a thread has done, as one activation, which takes \p Length; once
  /// all others have ended. Entry: its first instruction; no calls.
  RegionCost root(unsigned Thread, uint64_t Length) const {
    const Open &O = Stacks[Thread].front();
    return {O.Entry, 0, O.Work, Length, Length, O.Children, O.Own};
  }

private:
  struct Open {
    uint64_t Entry = 0, Work = 0, Own = 0, Children = 0;
    bool Entered = false;
  };
  /// Not of a call whose function the part ends before.
  void close(const Open &O, unsigned Thread, uint64_t Length) {
    RegionCost &C = Costs[O.Entry];
    C.Entry = O.Entry;
    ++C.Calls;
    if (!--Depths[Thread][O.Entry]) {
      C.Work += O.Work;
      C.Span += Length;
    }
    C.Spans += Length;
    C.Children += O.Children;
    C.Own += O.Own;
  }

  std::vector<std::vector<Open>> Stacks;
  /// By thread: how many activations are open, the root not.
  std::vector<NumberMap<uint32_t>> Depths;
  NumberMap<RegionCost> Costs;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_REGIONS_H
