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
#include <type_traits>

namespace rw {

/// Elements keep their address, so that one thread may append while others read
/// elements that were handed to them before. Holds up to 2^28 elements.
template <typename T> class StableVector {
  static constexpr unsigned ChunkBits = 16, MaxChunks = 1u << 12;

public:
  StableVector() : Chunks(std::make_unique<Chunk[]>(MaxChunks)) {}
  T &operator[](size_t I) { return Chunks[I >> ChunkBits].get()[I & Mask]; }
  const T &operator[](size_t I) const {
    return Chunks[I >> ChunkBits].get()[I & Mask];
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
      Chunks[First >> ChunkBits].reset(std::allocator<T>().allocate(Mask + 1));
    if (N)
      std::uninitialized_value_construct_n(&(*this)[First], N);
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
  static_assert(std::is_trivially_destructible_v<T>);
  struct Free {
    void operator()(T *P) const { std::allocator<T>().deallocate(P, Mask + 1); }
  };
  /// Its elements are made when they are appended: most traces are small.
  using Chunk = std::unique_ptr<T, Free>;
  std::unique_ptr<Chunk[]> Chunks;
  size_t Size = 0;
};

} // namespace rw

#endif // REWIND_MODEL_STABLEVECTOR_H
