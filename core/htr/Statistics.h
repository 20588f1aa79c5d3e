//===- Statistics.h - Where blocks occur, and what they cost ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_STATISTICS_H
#define REWIND_HTR_STATISTICS_H

#include "core/htr/Hierarchy.h"
#include "core/htr/TimeTable.h"
#include "core/support/Watch.h"
#include "llvm/Support/Error.h"
#include <atomic>

namespace rw::htr {

/// Numbers below a bound (of at most 2^48) that is known beforehand, set in any
/// order.
class NumberTable {
public:
  NumberTable() = default;
  NumberTable(uint64_t Size, uint64_t Bound)
      : Low(Size), High(Bound > ~uint32_t(0) ? Size : 0) {}
  void set(uint64_t I, uint64_t V) {
    Low[I] = uint32_t(V);
    if (!High.empty())
      High[I] = uint16_t(V >> 32);
  }
  uint64_t operator[](uint64_t I) const {
    return Low[I] | (High.empty() ? 0 : uint64_t(High[I]) << 32);
  }
  uint64_t size() const { return Low.size(); }

private:
  std::vector<uint32_t> Low;
  std::vector<uint16_t> High; ///< empty if all numbers are small
};

struct Statistics {
  std::vector<uint64_t> Occurrences; ///< by id, the trace as a whole
  /// By id: from the first instruction to the one that follows the last (of
  /// the same thread), all occurrences together. Empty without time.
  std::vector<uint64_t> Time;
  /// Places of block b, ascending: Places[FirstPlace[b]..FirstPlace[b + 1]).
  /// Leaves have none here; the store knows where instructions are.
  std::vector<uint64_t> FirstPlace;
  NumberTable Places;
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
