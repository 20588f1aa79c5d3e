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
  Empty.close();
  Filled.close();
  if (Reader.joinable())
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
  for (bool Last = false; !Last;) {
    auto B = Empty.pop();
    if (!B)
      return;
    try {
      fill(*B);
    } catch (...) {
      B->Thrown = std::current_exception();
      B->Last = true;
    }
    Last = B->Last;
    if (!Filled.push(std::move(*B)))
      return;
  }
}

llvm::Expected<ReadAhead::Chunk> ReadAhead::next(llvm::ArrayRef<uint8_t> Left) {
  assert(Left.size() <= Room);
  if (Threaded && !First && !Reader.joinable()) {
    for (unsigned I = 1; I < NumBuffers; ++I) // and the one that is held
      Empty.push(Buffer());
    Reader = std::thread([this] { readOn(); });
  }
  First = false;
  Buffer B;
  if (Reader.joinable()) {
    B = *Filled.pop();
  } else {
    std::swap(B, Spare);
    fill(B);
  }
  if (B.Thrown)
    std::rethrow_exception(B.Thrown);
  if (B.Code)
    return llvm::createStringError(B.Code, B.Problem);
  uint8_t *Begin = &B.Bytes[Room] - Left.size();
  if (!Left.empty())
    std::memcpy(Begin, Left.data(), Left.size()); // out of the one before
  const size_t Size = B.Size + Left.size();
  const bool Last = B.Last;
  std::swap(Held, B);
  if (Reader.joinable())
    Empty.push(std::move(B));
  else
    std::swap(Spare, B);
  return Chunk{Begin, Size, Last};
}

} // namespace rw
