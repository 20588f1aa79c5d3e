//===- CheckedSink.h - Whether a reader keeps to its contract ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_CHECKEDSINK_H
#define REWIND_STORE_CHECKEDSINK_H

#include "core/model/ItemBatch.h"

namespace rw {

class TraceReader;

/// Stands before a sink and hands on what is as ItemBatch.h says: formats are
/// also other people's, and a batch that counts its effects wrongly would be
/// read beyond its end. What is not ends the reading with an Error that blames
/// the reader. Cost: one pass over each batch.
class CheckedSink final : public TraceSink {
public:
  explicit CheckedSink(TraceSink &To) : To(To) {}

  bool takesFlow() const override { return To.takesFlow(); }
  llvm::Error consume(ItemBatch &Batch) override;
  llvm::Error finish(const TraceHeader &Header) override;
  /// To be asked when the reader has returned without an error.
  llvm::Error checkFinished() const;
  /// Lets \p Reader read all into \p To, checked.
  static llvm::Error read(TraceReader &Reader, TraceSink &To);

private:
  TraceSink &To;
  uint64_t NumInsns = 0;
  unsigned NumLanes = 0, NumThreads = 0; ///< that the batches speak of
  bool Finished = false;
};

} // namespace rw

#endif // REWIND_STORE_CHECKEDSINK_H
