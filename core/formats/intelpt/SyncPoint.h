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
  bool Mtc = false;     ///< MTC packets are to come (there is a TMA packet)
  bool Repeats = false; ///< libipt will tell events of it (status_update)
};

/// The first complete one at or after \p From.
std::optional<SyncPoint> findSync(llvm::ArrayRef<uint8_t> Bytes, size_t From);

/// Cuts packets into pieces that can be decoded on their own: sync points that
/// are about \p PieceBytes from each other, beginning with the first one.
std::vector<SyncPoint> cutAtSyncs(llvm::ArrayRef<uint8_t> Bytes,
                                  size_t PieceBytes);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_SYNCPOINT_H
