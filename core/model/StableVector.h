//===- StableVector.h - A growing array that never moves --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_MODEL_STABLEVECTOR_H
#define REWIND_MODEL_STABLEVECTOR_H

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace rw {

/// Elements keep their address, so that one thread may append while others read
/// elements that were handed to them before. Holds up to 2^28 elements.
template <typename T> class StableVector {
  static constexpr unsigned ChunkBits = 16, MaxChunks = 1u << 12;

public:
  StableVector()
      : Chunks(std::make_unique<std::unique_ptr<T[]>[]>(MaxChunks)) {}
  T &operator[](size_t I) { return Chunks[I >> ChunkBits][I & Mask]; }
  const T &operator[](size_t I) const {
    return Chunks[I >> ChunkBits][I & Mask];
  }
  size_t size() const { return Size; }
  /// Whether \p N more can be appended, at most 2^16, in whatever portions.
  bool hasRoom(size_t N) const {
    return Size + N <= (size_t(MaxChunks) - 1) << ChunkBits;
  }

  /// Appends \p N value-initialised elements that lie side by side; returns the
  /// index of the first. N is at most 2^16.
  size_t grow(size_t N) {
    assert(N <= Mask + 1);
    if ((Size & Mask) + N > Mask + 1)
      Size = (Size | Mask) + 1;
    size_t First = Size;
    if (N && !Chunks[First >> ChunkBits])
      Chunks[First >> ChunkBits] = std::make_unique<T[]>(Mask + 1);
    Size += N;
    return First;
  }
  size_t push(const T &V) {
    size_t I = grow(1);
    (*this)[I] = V;
    return I;
  }

private:
  static constexpr size_t Mask = (size_t(1) << ChunkBits) - 1;
  std::unique_ptr<std::unique_ptr<T[]>[]> Chunks;
  size_t Size = 0;
};

} // namespace rw

#endif // REWIND_MODEL_STABLEVECTOR_H
