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
#include <optional>

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

/// Appends the packed form of \p Size values to \p Out, which is at a multiple
/// of 8; \p At tells value i, and is asked in order. Memory: a fixed buffer.
void packArray(uint64_t Size, llvm::function_ref<uint64_t(uint64_t)> At,
               llvm::raw_pwrite_stream &Out);

} // namespace rw::htr

#endif // REWIND_HTR_PACKEDARRAY_H
