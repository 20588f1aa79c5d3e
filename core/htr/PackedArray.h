//===- PackedArray.h - Numbers in few bits, any of them at once -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layout, all little endian: the number of values (8 bytes); per block of 128
// values a directory entry of two words (the smallest value; bit offset into
// the data in the low 56 bits and the width in the upper 8); the data, each
// value as its difference from the block's smallest; 8 bytes of padding.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_PACKEDARRAY_H
#define REWIND_HTR_PACKEDARRAY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <optional>

namespace rw::htr {

/// A read-only view of packed values. Any of them is there in O(1); none is
/// ever read from outside of the bytes, which open() sees to.
class PackedArray {
public:
  static constexpr size_t BlockSize = 128;

  PackedArray() = default;
  /// Empty if \p Bytes are too few for what they claim to hold, or if the
  /// directory says what no writer does. O(values / BlockSize).
  static std::optional<PackedArray> open(llvm::ArrayRef<uint8_t> Bytes);

  uint64_t size() const { return Size; }
  uint64_t operator[](uint64_t I) const {
    return I < Size ? Block(*this, I / BlockSize)[I % BlockSize] : 0;
  }

  /// Reads on from a value: several times as fast as one by one.
  class Stream {
  public:
    explicit Stream(const PackedArray &A, uint64_t First = 0)
        : A(A), At(First) {
      if (First % BlockSize)
        fill();
    }
    /// There must be one.
    uint64_t next() {
      if (At % BlockSize == 0)
        fill();
      return Values[At++ % BlockSize];
    }

  private:
    const PackedArray &A;
    uint64_t At;
    uint64_t Values[BlockSize];

    void fill() {
      const uint64_t Begin = At / BlockSize * BlockSize;
      const Block In(A, At / BlockSize);
      for (size_t I = 0, E = std::min<uint64_t>(BlockSize, A.Size - Begin);
           I < E; ++I)
        Values[I] = In[I];
    }
  };

private:
  struct Block {
    uint64_t Base, Bit;
    unsigned Width;
    const uint8_t *Data;

    Block(const PackedArray &A, uint64_t Index) : Data(A.Data) {
      using namespace llvm::support::endian;
      const uint8_t *Entry = A.Directory + Index * 16;
      Base = read64le(Entry);
      Bit = read64le(Entry + 8) & ((uint64_t(1) << 56) - 1);
      Width = Entry[15];
    }
    uint64_t operator[](size_t I) const {
      if (Width == 0)
        return Base;
      const uint64_t At = Bit + I * Width;
      const uint8_t *P = Data + At / 8;
      const unsigned Shift = At % 8;
      uint64_t V = llvm::support::endian::read64le(P) >> Shift;
      if (Shift + Width > 64)
        V |= uint64_t(P[8]) << (64 - Shift);
      return Base + (Width >= 64 ? V : V & ((uint64_t(1) << Width) - 1));
    }
  };

  uint64_t Size = 0;
  const uint8_t *Directory = nullptr;
  const uint8_t *Data = nullptr;
};

/// Appends the packed form of \p Size values to \p Out, which is at a multiple
/// of 8; \p At tells value i, and is asked in order. Memory: a fixed buffer.
void packArray(uint64_t Size, llvm::function_ref<uint64_t(uint64_t)> At,
               llvm::raw_pwrite_stream &Out);

} // namespace rw::htr

#endif // REWIND_HTR_PACKEDARRAY_H
