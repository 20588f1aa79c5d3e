//===- BlockFinds.h - A search that keeps what a block had ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_BLOCKFINDS_H
#define REWIND_STORE_BLOCKFINDS_H

#include "core/store/SearchCursor.h"
#include "core/store/StoreImpl.h"

namespace rw {

/// What all search cursors do: they keep all answers of the block at hand.
class BlockFinds : public SearchCursor {
public:
  llvm::Expected<std::optional<Moment>> from(Moment From) final;

protected:
  struct Place {
    SegmentView S;
    unsigned Block = 0;
  };
  explicit BlockFinds(const TraceStore::Impl &I) : I(I) {}
  /// The first block at or after (Segment, Block) that may have an answer.
  virtual llvm::Expected<std::optional<Place>> nextBlock(uint32_t Segment,
                                                         unsigned Block) = 0;
  /// Calls \p Found with each instruction of the block that is an answer,
  /// ascending. False if the block is damaged.
  virtual bool collect(const SegmentView &S, unsigned Block,
                       llvm::function_ref<void(unsigned)> Found) = 0;

  const TraceStore::Impl &I;

private:
  /// All answers in [Begin, End), ascending.
  llvm::SmallVector<Moment, 64> Finds;
  Moment Begin = 0, End = 0;
};

} // namespace rw

#endif // REWIND_STORE_BLOCKFINDS_H
