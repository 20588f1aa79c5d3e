//===- BlockWalker.h - From block to block ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_BLOCKWALKER_H
#define REWIND_STORE_BLOCKWALKER_H

#include "core/store/BlockDecoder.h"

namespace rw {

/// What all cursors do: they go from block to block and know where each thread
/// is. A damaged block ends the walk.
class BlockWalker {
public:
  /// \p Wanted: none: control flow alone.
  BlockWalker(const TraceStore::Impl &I,
              std::optional<BlockDecoder::Detail> Wanted)
      : I(I), Wanted(Wanted) {}
  /// What other cursors than the store's own are made of.
  static const TraceStore::Impl &implOf(const TraceStore &Store);
  ~BlockWalker() { llvm::consumeError(std::move(Failed)); }

  void seek(Moment M) {
    Next = M;
    Left = 0;
    Entered = false;
  }
  /// Stands before the block that Next is in. How many of its instructions are
  /// to be stepped over; none on damage.
  std::optional<unsigned> enterBlock();

  /// Moves over one instruction, which is() then tells; false on damage.
  bool step() {
    bool Ok = Decoder ? Decoder->next() : Flow->next();
    if (!ThreadLeft) {
      Thread = ThreadIn.byte();
      ThreadLeft = ThreadIn.varint();
      Ok &= ThreadLeft && Thread < I.NumThreads;
    }
    if (!Ok)
      return fail(I.damagedBlock(S, Block));
    --ThreadLeft;
    ++Next;
    --Left;
    ++Positions[Thread];
    return true;
  }
  /// Flow alone: the templates of the instruction that was stepped over and
  /// of those of its run and thread that follow it in the block, which are
  /// stepped over, too.
  llvm::ArrayRef<uint32_t> stepRun() {
    const uint64_t More = std::min(Flow->following(), ThreadLeft);
    ThreadLeft -= More;
    Next += More;
    Left -= unsigned(More);
    Positions[Thread] += More;
    return Flow->take(More);
  }
  bool fail(llvm::Error E);
  llvm::Error takeError() { return std::move(Failed); }

  bool atEnd() const { return Next >= I.M.NumInstructions; }
  // The instruction that was stepped over.
  const format::Template &insn() const {
    return Decoder ? Decoder->insn() : Flow->insn();
  }
  Moment when() const { return Next - 1; }
  Position position() const { return Positions[Thread] - 1; }
  ThreadIndex thread() const { return Thread; }

  const TraceStore::Impl &I;
  Moment Next = 0;
  unsigned Left = 0;    ///< instructions left in the block
  bool Entered = false; ///< it stands before Next
  SegmentView S;
  unsigned Block = 0;
  std::optional<BlockDecoder> Decoder;

private:
  const std::optional<BlockDecoder::Detail> Wanted;
  llvm::Error Failed = llvm::Error::success();
  std::optional<FlowReader> Flow;
  llvm::SmallVector<uint64_t, 4> Positions; ///< per thread: its next position
  ByteReader ThreadIn;
  uint64_t ThreadLeft = 0;
  ThreadIndex Thread = 0;
};

} // namespace rw

#endif // REWIND_STORE_BLOCKWALKER_H
