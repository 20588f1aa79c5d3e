//===- ReadAhead.h - The bytes of a file, read ahead ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_READAHEAD_H
#define REWIND_FORMATS_READAHEAD_H

#include "core/formats/TarMember.h"
#include "core/support/BoundedQueue.h"
#include <exception>
#include <memory>
#include <thread>

namespace rw {

/// Hands out a file in chunks. With more than one chunk, the next ones are read
/// (and decompressed) on another thread, unless told not to. Then the source
/// must not wait for long: the destructor waits for a read that has begun.
class ReadAhead {
public:
  ReadAhead(ByteSource Source, size_t ChunkBytes, bool Threaded);
  ~ReadAhead();

  struct Chunk {
    uint8_t *Begin = nullptr;
    size_t Size = 0;
    bool Last = false; ///< the file ends with it
  };
  /// The next chunk, with \p Left (the end of the one before, at most half a
  /// chunk) put in front of it. The chunk before is gone. Chunks but the last
  /// are full. Not to be called after the last one.
  llvm::Expected<Chunk> next(llvm::ArrayRef<uint8_t> Left);

private:
  static constexpr unsigned NumBuffers = 4;
  struct Buffer {
    std::unique_ptr<uint8_t[]> Bytes; ///< half a chunk of room, then a chunk
    size_t Size = 0;
    bool Last = false;
    std::string Problem;
    std::error_code Code;
    std::exception_ptr Thrown; ///< by the thread that filled it
  };
  void fill(Buffer &B);
  void readOn();

  ByteSource Source;
  const size_t ChunkBytes, Room;
  const bool Threaded;
  Buffer Held;  ///< of the chunk that was handed out last
  Buffer Spare; ///< without a thread: of the one before
  BoundedQueue<Buffer> Empty{NumBuffers}, Filled{NumBuffers};
  bool First = true;
  std::thread Reader;
};

} // namespace rw

#endif // REWIND_FORMATS_READAHEAD_H
