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

  const std::optional<BlockDecoder::Detail> &wanted() const { return Wanted; }
  /// Goes on, from where it is, with another detail.
  void want(BlockDecoder::Detail New) {
    Wanted = New;
    Decoder.reset();
    seek(Next);
  }
  void seek(Moment M) {
    Next = M;
    Left = 0;
    Entered = false;
  }
  /// Stands before the block that Next is in. How many of its instructions are
  /// to be stepped over; none on damage.
  std::optional<unsigned> enterBlock();

  /// Moves over the next \p N instructions of the block, the last of which is()
  /// then tells; false on damage.
  bool step(unsigned N) {
    if (!(Decoder ? Decoder->advanceTo(Done + N) : skip(N)))
      return fail(I.damagedBlock(S, Block));
    Done += N;
    Next += N;
    Left -= N;
    return true;
  }
  /// Moves over the instructions of the block to the first one with such an
  /// access, and whether there is one; nothing on damage. As
  /// BlockDecoder::advanceToAccess(), with its decoder.
  std::optional<bool> stepToAccess(uint64_t Addr, uint64_t Size,
                                   AccessKind Kind,
                                   llvm::function_ref<void()> Before) {
    if (!Decoder->advanceToAccess(Addr, Size, Kind, Done + Left, Before)) {
      fail(I.damagedBlock(S, Block));
      return std::nullopt;
    }
    const unsigned N = Left ? Decoder->index() + 1 - Done : 0;
    Done += N;
    Next += N;
    Left -= N;
    return N && Decoder->accessed(Addr, Size, Kind);
  }
  bool step() {
    if (Decoder ? !Decoder->next() : !Flow->next())
      return fail(I.damagedBlock(S, Block));
    if (!Decoder)
      Lines += Flow->insn().Lines;
    ++Done;
    ++Next;
    --Left;
    return true;
  }
  /// Flow alone: the templates of the instruction that was stepped over and
  /// of those of its run and thread that follow it in the block, which are
  /// stepped over, too.
  llvm::ArrayRef<uint32_t> stepRun() {
    const llvm::ArrayRef<uint32_t> Ids = Flow->take(Left);
    if (Ids.empty()) {
      fail(I.damagedBlock(S, Block));
      return {};
    }
    Done += unsigned(Ids.size());
    Next += Ids.size();
    Left -= unsigned(Ids.size());
    return Ids;
  }
  bool fail(llvm::Error E);
  llvm::Error takeError() { return std::move(Failed); }

  bool atEnd() const { return Next >= I.M.NumInstructions; }
  /// Whether it is the instruction \p M that was stepped over last.
  bool isBehind(Moment M) const { return Entered && Done && Next == M + 1; }
  // The instruction that was stepped over.
  const format::Template &insn() const { return flow().insn(); }
  Moment when() const { return Next - 1; }
  Position position() const { return Starts[thread()] + flow().ofThread() - 1; }
  ThreadIndex thread() const { return flow().thread(); }
  unsigned index() const { return Done - 1; } ///< in the block
  /// Lines of all instructions of the block up to it.
  uint64_t lines() const { return Decoder ? Decoder->lines() : Lines; }

  const TraceStore::Impl &I;
  Moment Next = 0;
  unsigned Left = 0;    ///< instructions left in the block
  bool Entered = false; ///< it stands before Next
  SegmentView S;
  unsigned Block = 0;
  std::optional<BlockDecoder> Decoder;

private:
  const FlowReader &flow() const { return Decoder ? Decoder->flow() : *Flow; }
  bool skip(unsigned N) {
    while (N) {
      const llvm::ArrayRef<uint32_t> Ids = Flow->take(N);
      for (const uint32_t Id : Ids)
        Lines += I.Templates[Id].Lines;
      if (Ids.empty())
        return false;
      N -= unsigned(Ids.size());
    }
    return true;
  }

  std::optional<BlockDecoder::Detail> Wanted;
  llvm::Error Failed = llvm::Error::success();
  std::optional<FlowReader> Flow;
  unsigned Done = 0;  ///< instructions of the block
  uint64_t Lines = 0; ///< of Flow's
  /// Per thread: its position at the block's begin.
  llvm::SmallVector<uint64_t, 4> Starts;
};

} // namespace rw

#endif // REWIND_STORE_BLOCKWALKER_H
