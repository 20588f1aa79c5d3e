//===- TimeTable.h - When every instruction ran -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_TIMETABLE_H
#define REWIND_HTR_TIMETABLE_H

#include "core/htr/Hierarchy.h"
#include <array>
#include <deque>

namespace rw::htr {

/// The time of every place. Empty if the trace has no time. Blocks of places
/// keep how far they are off a straight line: nothing where time advances
/// evenly, a byte or less for each place elsewhere.
class TimeTable {
public:
  bool empty() const { return Count == 0; }
  uint64_t size() const { return Count; }
  uint64_t at(Place P) const;
  /// Times must be appended in the order of places.
  void push(uint64_t Time) {
    Last[Count++ % BlockSize] = Time;
    if (Count % BlockSize == 0)
      pack();
  }
  void append(const TimeTable &Other) {
    for (uint64_t I = 0; I < Other.size(); ++I)
      push(Other.at(I));
  }

private:
  static constexpr size_t BlockSize = 256;
  /// Place i of it: Base + i * Step + bits at Offset, Width each.
  struct Block {
    uint64_t Base;
    uint64_t Offset : 56, Width : 8;
    uint64_t Step;
  };
  void pack();

  uint64_t Count = 0;
  std::deque<Block> Blocks;
  ByteChunks Bits;
  std::array<uint64_t, BlockSize> Last{}; ///< not packed yet
};

} // namespace rw::htr

#endif // REWIND_HTR_TIMETABLE_H
