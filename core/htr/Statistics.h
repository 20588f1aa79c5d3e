//===- Statistics.h - Where blocks occur, and what they cost ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_STATISTICS_H
#define REWIND_HTR_STATISTICS_H

#include "core/htr/Hierarchy.h"
#include "core/model/Watch.h"
#include "llvm/Support/Error.h"
#include <atomic>

namespace rw::htr {

/// The time of every place. Empty if the trace has no time.
class TimeTable {
public:
  bool empty() const { return Near.empty() && Far.empty(); }
  uint64_t at(Place P) const { return Far.empty() ? First + Near[P] : Far[P]; }
  /// Times must be appended in the order of places.
  void push(uint64_t Time);
  void append(const TimeTable &Other);
  void reserve(uint64_t Places) { Near.reserve(Places); }
  uint64_t size() const { return Far.empty() ? Near.size() : Far.size(); }

private:
  uint64_t First = 0;
  std::vector<uint32_t> Near; ///< differences from First, while they fit
  std::vector<uint64_t> Far;
  void widen();
};

struct Statistics {
  std::vector<uint64_t> Occurrences; ///< by id, the trace as a whole
  /// By id: from the first instruction to the one that follows the last (of
  /// the same thread), all occurrences together. Empty without time.
  std::vector<uint64_t> Time;
  /// Places of block b, ascending: Places[FirstPlace[b]..FirstPlace[b + 1]).
  /// Leaves have none here; the store knows where instructions are.
  std::vector<uint64_t> FirstPlace;
  std::vector<Place> Places;
};

/// Occurrences and times of the blocks of layer 0. Everything that needs the
/// units of layer 0 themselves, but for the first pass.
Statistics countLeaves(const Hierarchy &H, const TimeTable &Times);

/// Finds all occurrences of all blocks, those inside of other blocks included.
/// Cost: the number of occurrences (about 10 ns each).
llvm::Expected<Statistics> collect(const Hierarchy &H, const TimeTable &Times,
                                   Statistics Leaves, const Watch &Watch = {});

} // namespace rw::htr

#endif // REWIND_HTR_STATISTICS_H
