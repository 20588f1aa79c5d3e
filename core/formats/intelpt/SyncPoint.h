//===- SyncPoint.h - Where decoding can begin -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_SYNCPOINT_H
#define REWIND_FORMATS_INTELPT_SYNCPOINT_H

#include "core/formats/intelpt/Recording.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace rw::intelpt {

/// A PSB packet and what the packets up to its PSBEND tell.
struct SyncPoint {
  size_t Offset = 0;
  std::optional<uint64_t> Tsc;
  std::optional<uint64_t> IP; ///< of the next instruction; none: tracing is off
  bool Mtc = false;      ///< MTC packets are to come (there is a TMA packet)
  bool Complete = false; ///< there is a PSBEND. If not, the rest is not known.
  /// An overflow before it waits for what this one tells.
  bool EndsOverflow = false;
  /// Decoding can begin here, and what comes before can be decoded without it.
  bool isSeam() const { return Complete && !EndsOverflow; }
};

/// The first one at or after \p From.
std::optional<SyncPoint> findSync(llvm::ArrayRef<uint8_t> Bytes, size_t From);
/// The first one that is a seam.
std::optional<SyncPoint> findSeam(llvm::ArrayRef<uint8_t> Bytes, size_t From);

/// Cuts packets into pieces that can be decoded on their own: seams that are
/// about \p PieceBytes from each other, beginning with the first sync point,
/// whatever it is.
std::vector<SyncPoint> cutAtSyncs(llvm::ArrayRef<uint8_t> Bytes,
                                  size_t PieceBytes);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_SYNCPOINT_H
