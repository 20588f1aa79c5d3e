//===- WordWindow.h - The words of a dump, through a window -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_WORDWINDOW_H
#define REWIND_FORMATS_HTM_WORDWINDOW_H

#include "core/formats/TarMember.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include <cassert>
#include <cstring>
#include <memory>

namespace rw::htm {

/// A sliding window over the words of a dump. Memory is constant: what lies
/// before the cursor is forgotten when the window moves on.
class WordWindow {
public:
  static constexpr size_t DefaultWords = 32768;

  explicit WordWindow(ByteSource Source, size_t Words = DefaultWords)
      : Source(std::move(Source)), Capacity(Words),
        Buffer(new uint64_t[Words]) {}

  /// Words from the cursor to the end of the window.
  size_t available() const { return End - Cur; }
  bool atEnd() const { return Eof; } ///< nothing follows the window
  /// Bytes after the last whole word of the dump.
  unsigned tail() const { return unsigned(Partial); }

  uint64_t operator[](size_t I) const {
    return llvm::support::endian::byte_swap(Buffer[Cur + I],
                                            llvm::endianness::big);
  }
  /// The words from the cursor on, as they lie in the dump: big-endian.
  const uint64_t *data() const { return &Buffer[Cur]; }
  static uint64_t word(const uint64_t *Data, size_t I) {
    return llvm::support::endian::byte_swap(Data[I], llvm::endianness::big);
  }

  uint64_t offset() const { return Base + 8 * Cur; } ///< of the cursor's word
  void advance(size_t N) { Cur += N; }

  /// Takes word \p I out: those before it move up by one place.
  void remove(size_t I) {
    std::memmove(&Buffer[Cur + 1], &Buffer[Cur], I * sizeof(uint64_t));
    ++Cur;
  }

  /// Makes at least \p N words available, or all that are left.
  llvm::Error need(size_t N) {
    if (available() >= N || Eof)
      return llvm::Error::success();
    assert(N <= Capacity / 2 && "window too small");
    return refill();
  }

private:
  llvm::Error refill() {
    size_t Keep = available();
    std::memmove(&Buffer[0], &Buffer[Cur], Keep * sizeof(uint64_t) + Partial);
    Base += 8 * Cur;
    Cur = 0;
    uint8_t *Bytes = reinterpret_cast<uint8_t *>(Buffer.get());
    size_t Have = Keep * sizeof(uint64_t) + Partial;
    size_t Room = Capacity * sizeof(uint64_t);
    while (Have < Room) {
      llvm::Expected<size_t> Got = Source(Bytes + Have, Room - Have);
      if (!Got)
        return Got.takeError();
      if (*Got == 0) {
        Eof = true;
        break;
      }
      Have += *Got;
    }
    End = Have / sizeof(uint64_t);
    Partial = Have % sizeof(uint64_t);
    return llvm::Error::success();
  }

  ByteSource Source;
  size_t Capacity;
  std::unique_ptr<uint64_t[]> Buffer;
  size_t Cur = 0, End = 0, Partial = 0;
  uint64_t Base = 0;
  bool Eof = false;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_WORDWINDOW_H
