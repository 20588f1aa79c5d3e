//===- WordWindow.h - The words of a dump, through a window -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_WORDWINDOW_H
#define REWIND_FORMATS_HTM_WORDWINDOW_H

#include "core/formats/ReadAhead.h"
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

  /// \p Threaded: see ReadAhead.
  WordWindow(ByteSource Source, size_t Words, bool Threaded)
      : Input(std::move(Source), Words * sizeof(uint64_t), Threaded),
        MaxWords(Words) {}

  /// Words from the cursor to the end of the window.
  size_t available() const { return size_t(End - Cur); }
  bool atEnd() const { return Eof; } ///< nothing follows the window
  /// Bytes after the last whole word of the window.
  unsigned tail() const { return Partial; }

  uint64_t operator[](size_t I) const { return word(Cur, I); }
  /// The words from the cursor on, as they lie in the dump: big-endian.
  const uint64_t *data() const { return Cur; }
  static uint64_t word(const uint64_t *Data, size_t I) {
    return llvm::support::endian::byte_swap(Data[I], llvm::endianness::big);
  }

  uint64_t offset() const { return EndOffset - 8 * available(); }
  void advance(size_t N) { Cur += N; }

  /// Takes word \p I out: those before it move up by one place.
  void remove(size_t I) {
    std::memmove(Cur + 1, Cur, I * sizeof(uint64_t));
    ++Cur;
  }

  /// The word that begins \p Bytes after the cursor. It must lie in the window.
  uint64_t wordAtByte(size_t Bytes) const {
    assert(Bytes + sizeof(uint64_t) <= bytes());
    return llvm::support::endian::read64be(
        reinterpret_cast<const uint8_t *>(Cur) + Bytes);
  }
  /// Takes out the first \p Bytes, fewer than a word.
  void dropBytes(unsigned Bytes) {
    assert(Bytes < sizeof(uint64_t) && Bytes <= bytes());
    const uint64_t From = offset();
    const size_t Left = bytes() - Bytes;
    std::memmove(Cur, reinterpret_cast<const uint8_t *>(Cur) + Bytes, Left);
    set(Cur, Left, From + Bytes);
  }

  /// Makes at least \p N words available, or all that are left.
  llvm::Error need(size_t N) {
    if (available() >= N || Eof)
      return llvm::Error::success();
    assert(N <= MaxWords / 2 && "window too small");
    return refill();
  }

private:
  llvm::Error refill() {
    const uint64_t From = offset();
    auto Next = Input.next({reinterpret_cast<const uint8_t *>(Cur), bytes()});
    if (!Next)
      return Next.takeError();
    // All chunks but the last are whole words. What is in front of them is,
    // too, if no bytes were dropped; there is room to align it.
    const size_t Misaligned = size_t(-bytes()) % sizeof(uint64_t);
    uint8_t *Begin = Next->Begin - Misaligned;
    if (Misaligned)
      std::memmove(Begin, Next->Begin, Next->Size);
    Eof = Next->Last;
    set(reinterpret_cast<uint64_t *>(Begin), Next->Size, From);
    return llvm::Error::success();
  }

  size_t bytes() const { return available() * sizeof(uint64_t) + Partial; }
  void set(uint64_t *Begin, size_t Bytes, uint64_t Offset) {
    Cur = Begin;
    End = Begin + Bytes / sizeof(uint64_t);
    Partial = unsigned(Bytes % sizeof(uint64_t));
    EndOffset = Offset + (Bytes - Partial);
  }

  ReadAhead Input;
  [[maybe_unused]] const size_t MaxWords; ///< for the assertion
  uint64_t *Cur = nullptr, *End = nullptr;
  unsigned Partial = 0;
  uint64_t EndOffset = 0; ///< of the end of the window in the dump
  bool Eof = false;
};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_WORDWINDOW_H
