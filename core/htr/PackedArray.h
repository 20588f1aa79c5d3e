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
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include <algorithm>
#include <optional>
#include <vector>

namespace rw::htr {

/// A read-only view of packed values. get() is O(1) and never reads outside of
/// the bytes, whatever they are.
class PackedArray {
public:
  static constexpr size_t BlockSize = 128;

  PackedArray() = default;
  /// Empty if \p Bytes are too few for what they claim to hold.
  static std::optional<PackedArray> open(llvm::ArrayRef<uint8_t> Bytes);

  uint64_t size() const { return Size; }
  uint64_t operator[](uint64_t I) const {
    using namespace llvm::support::endian;
    if (I >= Size)
      return 0;
    const uint8_t *Entry = Directory + I / BlockSize * 16;
    uint64_t Base = read64le(Entry);
    uint64_t Where = read64le(Entry + 8);
    unsigned Width = Where >> 56;
    uint64_t Bit = (Where & ((uint64_t(1) << 56) - 1)) + I % BlockSize * Width;
    if (Bit / 8 + 9 > DataBytes)
      return 0;
    if (Width == 0)
      return Base;
    const uint8_t *At = Data + Bit / 8;
    unsigned Shift = Bit % 8;
    uint64_t V = read64le(At) >> Shift;
    if (Shift + Width > 64)
      V |= uint64_t(At[8]) << (64 - Shift);
    return Base + (Width >= 64 ? V : V & ((uint64_t(1) << Width) - 1));
  }

private:
  uint64_t Size = 0;
  uint64_t DataBytes = 0;
  const uint8_t *Directory = nullptr;
  const uint8_t *Data = nullptr;
};

/// Appends the packed form of \p Size values to \p Out; \p At tells value i.
template <typename F>
void packArray(uint64_t Size, F At, std::vector<uint8_t> &Out) {
  using namespace llvm::support::endian;
  auto word = [&](uint64_t V) {
    Out.resize(Out.size() + 8);
    write64le(&Out[Out.size() - 8], V);
  };
  constexpr size_t N = PackedArray::BlockSize;
  uint64_t Blocks = (Size + N - 1) / N;
  word(Size);
  size_t Directory = Out.size();
  Out.resize(Out.size() + Blocks * 16);
  size_t Data = Out.size();
  uint64_t Bit = 0;
  uint64_t Values[N];
  for (uint64_t B = 0; B < Blocks; ++B) {
    size_t Count = std::min<uint64_t>(N, Size - B * N);
    uint64_t Low = ~uint64_t(0), High = 0;
    for (size_t I = 0; I < Count; ++I) {
      Values[I] = At(B * N + I);
      Low = std::min(Low, Values[I]);
      High = std::max(High, Values[I]);
    }
    unsigned Width = 64 - llvm::countl_zero(High - Low);
    write64le(&Out[Directory + B * 16], Low);
    write64le(&Out[Directory + B * 16 + 8], Bit | uint64_t(Width) << 56);
    Out.resize(Data + (Bit + Count * Width + 7) / 8 + 9);
    for (size_t I = 0; I < Count; ++I, Bit += Width) {
      uint64_t V = Values[I] - Low;
      uint8_t *P = &Out[Data + Bit / 8];
      unsigned Shift = Bit % 8;
      write64le(P, read64le(P) | V << Shift);
      if (Shift + Width > 64)
        P[8] |= V >> (64 - Shift);
    }
  }
  Out.resize((Data + (Bit + 7) / 8 + 9 + 7) / 8 * 8);
}

} // namespace rw::htr

#endif // REWIND_HTR_PACKEDARRAY_H
