//===- PiecePool.h - Decodes pieces ahead -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PIECEPOOL_H
#define REWIND_FORMATS_INTELPT_PIECEPOOL_H

#include "core/formats/intelpt/PieceDecoder.h"
#include "llvm/Support/thread.h"
#include <condition_variable>
#include <exception>

namespace rw::intelpt {

/// The pieces of all buffers of a recording, decoded by some threads roughly in
/// the order of their time, a bounded number of them ahead of take().
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
  /// Each piece once. Waits for it, or decodes it if nobody has begun to.
  Piece take(size_t Buffer, size_t Index);

private:
  struct Job {
    enum : uint8_t { Waiting, Taken, Done } State = Waiting;
    size_t Buffer = 0, Index = 0;
    uint64_t Time = 0;
    Piece Result;
    std::exception_ptr Thrown; ///< while it was decoded
  };
  PiecePool(const Recording &R, size_t PieceBytes);
  void decode(PieceDecoder &D, Job &J);
  void work(PieceDecoder &D);

  const Recording &R;
  std::vector<std::vector<SyncPoint>> Cuts; ///< by buffer
  std::vector<Job> Jobs;                    ///< by time
  std::vector<std::vector<size_t>> JobOf;   ///< by buffer and piece
  std::vector<PieceDecoder> Decoders;       ///< the last one is the caller's
  std::vector<llvm::thread> Threads;
  std::mutex Lock;
  std::condition_variable Changed;
  size_t NextJob = 0, NumTaken = 0;
  bool Stop = false;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_PIECEPOOL_H
