//===- WriteBehind.h - Output written on another thread ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_WRITEBEHIND_H
#define REWIND_FORMATS_WRITEBEHIND_H

#include "core/support/BoundedQueue.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <thread>

namespace rw {

/// Writes buffers of one size to a stream, on another thread, in order. Until
/// finish() nobody else may use the stream; errors are the stream's.
class WriteBehind {
public:
  using Buffer = std::unique_ptr<uint8_t[]>;

  WriteBehind(llvm::raw_ostream &OS, size_t BufferSize)
      : OS(OS), BufferSize(BufferSize) {}
  ~WriteBehind() { finish(); }

  Buffer buffer() { return Buffer(new uint8_t[BufferSize]); }
  /// Takes a buffer with \p Used bytes to write; gives an empty one. Waits if
  /// the stream is too slow.
  Buffer exchange(Buffer Full, size_t Used);
  /// Waits until all is written, and flushes.
  void finish();

private:
  static constexpr size_t MaxWaiting = 2; ///< besides the one being written
  void write();

  llvm::raw_ostream &OS;
  const size_t BufferSize;
  BoundedQueue<std::pair<Buffer, size_t>> Waiting{MaxWaiting};
  BoundedQueue<Buffer> Empty{MaxWaiting + 2};
  std::thread Writer;
};

} // namespace rw

#endif // REWIND_FORMATS_WRITEBEHIND_H
