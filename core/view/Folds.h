//===- Folds.h - Which activations are folded away --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_VIEW_FOLDS_H
#define REWIND_VIEW_FOLDS_H

#include "core/calls/CallIndex.h"
#include <map>
#include <string>

namespace rw {

/// The folded activations of a thread: what runs while one of them is on the
/// stack is not shown. Activations are numbered in preorder, so those inside
/// another one are a range of numbers, and whatever a user folds or unfolds is
/// a range: the set is kept as its runs. Memory and the cost of fold() are
/// those of the runs, not of the trace.
class Folds {
public:
  static constexpr size_t DefaultMaxRuns = 4096;

  bool isFolded(uint64_t Number) const;
  /// Folds or unfolds the activations numbered [From, To).
  void set(uint64_t From, uint64_t To, bool Folded);
  bool empty() const { return Begin.empty(); }
  size_t numRuns() const { return Begin.size(); }

  /// "3-7,12,40-": the folded ones; "-" without an end: all from there on.
  /// Empty if nothing is folded.
  std::string text() const;
  /// An Error tells what is wrong with it. At most \p MaxRuns runs.
  static llvm::Expected<Folds> parse(llvm::StringRef Text,
                                     size_t MaxRuns = DefaultMaxRuns);
  bool operator==(const Folds &) const = default;

private:
  /// Where a run of folded ones begins (true), or of others: alternating, the
  /// first is true.
  std::map<uint64_t, bool> Begin;
};

/// One past the last activation that is inside \p A. O(log n).
llvm::Expected<uint64_t> endOfSubtree(const CallIndex &Calls,
                                      const Activation &A);

} // namespace rw

#endif // REWIND_VIEW_FOLDS_H
