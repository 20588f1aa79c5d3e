//===- CallPyramid.h - Calls by depth, as pixels need them ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A timeline of some thousand pixels cannot show millions of calls, and the
// stack in the middle of each pixel misses those that are short. So time is cut
// into buckets whose width is a power of two, and of the activations of a depth
// that begin in a bucket the longest is told, and how many there are: a call of
// one instruction, fifty deep, is seen in the view of the whole trace. What
// is longer than a bucket is told exactly.
//
// Buckets of level n + 1 are made of those of level n, which are few; what is
// finer than level 0 is read from the index.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_VIEW_CALLPYRAMID_H
#define REWIND_VIEW_CALLPYRAMID_H

#include "core/calls/CallIndex.h"
#include "core/support/Watch.h"

namespace rw {

/// The smallest width, a power of two, with which [From, To) has at most
/// \p MaxBuckets buckets. A bucket begins at a multiple of its width, so those
/// of a window that is moved stay what they are.
struct BucketGrid {
  BucketGrid(Position From, Position To, uint64_t MaxBuckets);
  unsigned Log2 = 0;
  uint64_t First = 0, End = 0; ///< numbers of the buckets
  Position begin(uint64_t Bucket) const { return Bucket << Log2; }
};

/// The longest of \c Count activations of a depth that begin in a bucket.
struct CallSlice {
  Position Start = 0;
  uint64_t Length = 0;
  uint64_t Number = 0; ///< of the activation
  uint64_t EntryPC = 0;
  uint32_t Depth = 0;
  ActivationKind Kind = ActivationKind::Function;
  uint64_t Count = 1;
  Position end() const { return Start + Length; }
};

/// The pyramid of one thread. Built with a scan of its activations (some 30 ns
/// each) in at most some 30 MB; immutable then.
class CallPyramid {
public:
  /// \p MaxCells bounds the memory: of level 0, some 64 bytes each with all
  /// that is above it.
  static llvm::Expected<CallPyramid> build(const CallIndex &Calls,
                                           ThreadIndex T, const Watch &W,
                                           size_t MaxCells = 1 << 19);

  struct Query {
    BucketGrid Grid;
    uint32_t FromDepth = 0, ToDepth = ~uint32_t(0);
  };
  /// The slices of the grid's buckets, and what already runs when it begins,
  /// by depth and then by start. O(log n + answer) but for grids finer than
  /// level 0, which cost 10 ns for each activation that begins in them.
  llvm::Expected<std::vector<CallSlice>> slices(const CallIndex &Calls,
                                                const Query &Q) const;

  struct Picture {
    BucketGrid Grid;
    std::vector<CallSlice> Slices;
    bool Complete = true;
  };
  /// At most \p MaxSlices slices. Short ones that follow each other and enter
  /// the same function are one: at that width nobody can tell them apart.
  /// Those that stand for one call alone, and those longer than a bucket, stay.
  /// What is still too much is told in wider buckets. Costs what slices() does.
  llvm::Expected<Picture> picture(const CallIndex &Calls, Query Q,
                                  size_t MaxSlices) const;
  size_t bytes() const;

private:
  /// By depth; each with the longest of its buckets by start.
  using Level = std::vector<std::vector<CallSlice>>;
  static void add(std::vector<CallSlice> &To, unsigned Log2,
                  const CallSlice &S);
  static size_t coarsen(const Level &From, unsigned Log2, Level &To);
  llvm::Expected<Level> scan(const CallIndex &Calls, const Query &Q) const;
  const Level &level(const Query &Q, const Level &Scanned) const;
  /// Until \p Emit returns false.
  llvm::Error forEach(const CallIndex &Calls, const Level &From, const Query &Q,
                      llvm::function_ref<bool(const CallSlice &)> Emit) const;

  ThreadIndex T = 0;
  unsigned Finest = 0; ///< log2 of the width of Levels[0]
  std::vector<Level> Levels;
};

} // namespace rw

#endif // REWIND_VIEW_CALLPYRAMID_H
