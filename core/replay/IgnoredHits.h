//===- IgnoredHits.h - Hits that a debugger wants passed by -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_IGNOREDHITS_H
#define REWIND_REPLAY_IGNOREDHITS_H

#include <cstdint>
#include <vector>

namespace rw {

/// Ignore counts of breakpoints and of their locations, and what a run has used
/// up of them. As LLDB has it, a hit counts one off both, and is ignored if
/// either was left.
struct IgnoredHits {
  struct Counter {
    uint32_t Id = 0;   ///< the debugger's, of a location within its breakpoint
    uint64_t Left = 0; ///< how many hits are still to be ignored
    uint64_t Used = 0; ///< how much of that is gone
    uint64_t Hits = 0; ///< how many were passed by
    void pass() {
      ++Hits;
      if (Left) {
        --Left;
        ++Used;
      }
    }
  };
  struct Location : Counter {
    uint32_t Of = 0; ///< index of its breakpoint
  };
  std::vector<Counter> Breakpoints;
  std::vector<Location> Locations;

  bool ignores(uint32_t Location) const {
    const auto &L = Locations[Location];
    return L.Left || Breakpoints[L.Of].Left;
  }
  void pass(uint32_t Location) {
    Locations[Location].pass();
    Breakpoints[Locations[Location].Of].pass();
  }
  /// Whether a hit was passed by.
  bool any() const {
    for (const Counter &B : Breakpoints)
      if (B.Hits)
        return true;
    return false;
  }
};

} // namespace rw

#endif // REWIND_REPLAY_IGNOREDHITS_H
