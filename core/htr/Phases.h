//===- Phases.h - Where the set of running code changes ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ran in a stretch is a vector: how often each instruction of the code
// did. A phase is a stretch whose vector points elsewhere than those of the
// stretches before and after it. Phases begin where calls, loops and rounds of
// loops do. Vectors are kept as random projections, as in SimPoint (Sherwood et
// al., "Automatically Characterizing Large Scale Program Behavior", 2002):
// which neighbours are alike is an estimate; where phases begin and what they
// have is not.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PHASES_H
#define REWIND_HTR_PHASES_H

#include "core/htr/HtrFile.h"
#include "core/support/Watch.h"

namespace rw::htr {

struct Phase {
  Place At = 0;
  uint64_t Instructions = 0;
  /// The calls and loops that make it up, the one with the most of it first, at
  /// most three: the outermost ones that are in it for the most part, and of
  /// those that are in several phases the innermost.
  std::vector<BlockId> In;
  bool More = false; ///< there are others, or code that is in none
};

/// No more phases than this are told apart.
inline constexpr size_t MaxPhases = 8;

/// The phases of units [From, To) of a range of \p Layer, whose first is at
/// \p At, in order; they add up to it. O(distinct blocks and their parts).
llvm::Expected<std::vector<Phase>> phases(const HtrFile &File, unsigned Layer,
                                          const UnitRange &Range, uint64_t From,
                                          uint64_t To, Place At,
                                          const Watch &Watch = {});

} // namespace rw::htr

#endif // REWIND_HTR_PHASES_H
