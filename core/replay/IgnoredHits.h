//===- IgnoredHits.h - Hits that a debugger wants passed by -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_IGNOREDHITS_H
#define REWIND_REPLAY_IGNOREDHITS_H

#include "core/model/Types.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <vector>

namespace rw {

/// Ignore counts of breakpoints, of their locations and of watchpoints, and
/// what a run has used up of them. As LLDB has it, a hit counts one off both a
/// breakpoint and its location, and is ignored if either was left.
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
  /// The debugger may watch a long object with several watchpoints, which one
  /// access hits once.
  struct Watchpoint : Counter {
    Moment Latest = BeforeTrace; ///< the access that was passed by last
  };
  std::vector<Counter> Breakpoints;
  std::vector<Location> Locations;
  std::vector<Watchpoint> Watchpoints;

  bool ignores(uint32_t Location) const {
    const auto &L = Locations[Location];
    return L.Left || Breakpoints[L.Of].Left;
  }
  void pass(uint32_t Location) {
    Locations[Location].pass();
    Breakpoints[Locations[Location].Of].pass();
  }
  /// Whether the access at \p When is to be ignored; that is noted then.
  bool passAccess(uint32_t Watchpoint, Moment When) {
    auto &W = Watchpoints[Watchpoint];
    if (W.Latest == When)
      return true;
    if (!W.Left)
      return false;
    W.Latest = When;
    W.pass();
    return true;
  }
  /// Whether a hit was passed by.
  bool any() const {
    auto WasHit = [](const Counter &C) { return C.Hits != 0; };
    return llvm::any_of(Breakpoints, WasHit) ||
           llvm::any_of(Watchpoints, WasHit);
  }
};

} // namespace rw

#endif // REWIND_REPLAY_IGNOREDHITS_H
