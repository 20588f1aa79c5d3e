//===- PiecePool.h - Decodes pieces ahead -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PIECEPOOL_H
#define REWIND_FORMATS_INTELPT_PIECEPOOL_H

#include "core/formats/intelpt/PieceDecoder.h"
#include "core/support/BoundedQueue.h"
#include "llvm/Support/thread.h"
#include <future>

namespace rw::intelpt {

/// The pieces of all buffers of a recording, decoded by some threads roughly in
/// the order of their time, a bounded number of them ahead of take(). One
/// thread asks.
class PiecePool {
public:
  /// \p Workers threads besides the caller's; with none, take() decodes.
  static llvm::Expected<std::unique_ptr<PiecePool>>
  create(const Recording &R, const Image &Code, CodeBook &Book,
         unsigned Workers, size_t PieceBytes);
  ~PiecePool();

  size_t numPieces(size_t Buffer) const { return Cuts[Buffer].size(); }
  const SyncPoint &begin(size_t Buffer, size_t Index) const {
    return Cuts[Buffer][Index];
  }
  /// Each piece once. Waits for it, or decodes it if no thread was asked to.
  /// Throws what its thread threw.
  Piece take(size_t Buffer, size_t Index);

private:
  struct Job {
    size_t Buffer = 0, Index = 0;
    uint64_t Time = 0;
    bool Asked = false; ///< a thread, or the caller, decodes it
    std::promise<Piece> Decoded;
  };
  PiecePool(const Recording &R, unsigned Workers, size_t PieceBytes);
  void decode(PieceDecoder &D, Job &J);
  void askAhead();

  const Recording &R;
  std::vector<std::vector<SyncPoint>> Cuts; ///< by buffer
  std::vector<Job> Jobs;                    ///< by time
  std::vector<std::vector<size_t>> JobOf;   ///< by buffer and piece
  std::vector<PieceDecoder> Decoders;       ///< the last one is the caller's
  const size_t MaxAhead;
  size_t NextJob = 0;
  size_t NumAhead = 0; ///< threads were asked for, and not taken yet
  BoundedQueue<Job *> Wanted;
  std::vector<llvm::thread> Threads;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_PIECEPOOL_H
