//===- HtrCompare.h - Where two blocks part ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRCOMPARE_H
#define REWIND_HTR_HTRCOMPARE_H

#include "core/htr/HtrFile.h"

namespace rw::htr {

struct Difference {
  uint64_t Common = 0;    ///< instructions that are the same
  BlockId Last = NoBlock; ///< the last of them
  /// The instructions that come then; NoBlock at the end of a block.
  BlockId A = NoBlock, B = NoBlock;
};

/// Compares what two blocks execute. Equal blocks in them are not looked into:
/// O(units up to the difference).
Difference firstDifference(const HtrFile &File, unsigned Layer, BlockId A,
                           BlockId B);

/// Neighbouring instructions that are executed as often as each other.
struct CodeCounts {
  BlockId First = NoBlock, Last = NoBlock; ///< by address
  uint64_t Instructions = 0;               ///< from First to Last
  uint64_t A = 0, B = 0;                   ///< executions in either block
};

/// The code that one of two blocks executes more often than the other, what
/// makes most of the difference first. O(distinct blocks in them).
std::vector<CodeCounts> differentCode(const HtrFile &File, BlockId A,
                                      BlockId B);

} // namespace rw::htr

#endif // REWIND_HTR_HTRCOMPARE_H
