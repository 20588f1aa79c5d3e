//===- ReadAhead.cpp - The bytes of a file, read ahead --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/ReadAhead.h"
#include <cassert>
#include <cstring>

namespace rw {

ReadAhead::ReadAhead(ByteSource Source, size_t ChunkBytes, bool Threaded)
    : Source(std::move(Source)), ChunkBytes(ChunkBytes),
      Room(ChunkBytes / 2 / 8 * 8), Threaded(Threaded) {}

ReadAhead::~ReadAhead() {
  if (!Reader.joinable())
    return;
  {
    std::lock_guard<std::mutex> Lock(M);
    Stop = true;
    Changed.notify_all();
  }
  Reader.join();
}

void ReadAhead::fill(Buffer &B) {
  if (!B.Bytes)
    B.Bytes.reset(new uint8_t[Room + ChunkBytes]);
  B.Size = 0;
  while (B.Size < ChunkBytes) {
    auto Got = Source(&B.Bytes[Room + B.Size], ChunkBytes - B.Size);
    if (!Got) {
      // An Error cannot wait in a buffer that may never be looked at.
      llvm::handleAllErrors(Got.takeError(), [&](const llvm::ErrorInfoBase &E) {
        B.Problem = E.message();
        B.Code = E.convertToErrorCode();
      });
      B.Last = true;
      return;
    }
    if (*Got == 0) {
      B.Last = true;
      return;
    }
    B.Size += *Got;
  }
}

void ReadAhead::readOn() {
  for (;;) {
    {
      std::unique_lock<std::mutex> Lock(M);
      Changed.wait(Lock, [&] { return Stop || Filled - Freed < NumBuffers; });
      if (Stop)
        return;
    }
    Buffer &B = Buffers[Filled % NumBuffers];
    try {
      fill(B);
    } catch (...) {
      B.Thrown = std::current_exception();
      B.Last = true;
    }
    std::lock_guard<std::mutex> Lock(M);
    ++Filled;
    Changed.notify_all();
    if (B.Last)
      return;
  }
}

llvm::Expected<ReadAhead::Chunk> ReadAhead::next(llvm::ArrayRef<uint8_t> Left) {
  assert(Left.size() <= Room);
  if (Threaded && Taken && !Reader.joinable())
    Reader = std::thread([this] { readOn(); });
  if (Reader.joinable()) {
    std::unique_lock<std::mutex> Lock(M);
    Changed.wait(Lock, [&] { return Filled > Taken; });
  } else {
    fill(Buffers[Filled++ % NumBuffers]);
  }
  Buffer &B = Buffers[Taken % NumBuffers];
  if (B.Thrown)
    std::rethrow_exception(B.Thrown);
  if (B.Code)
    return llvm::createStringError(B.Code, B.Problem);
  uint8_t *Begin = &B.Bytes[Room] - Left.size();
  if (!Left.empty())
    std::memcpy(Begin, Left.data(), Left.size());
  {
    std::lock_guard<std::mutex> Lock(M);
    Freed = Taken++; // the one before
    Changed.notify_all();
  }
  return Chunk{Begin, B.Size + Left.size(), B.Last};
}

} // namespace rw
