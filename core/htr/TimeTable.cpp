//===- TimeTable.cpp - When every instruction ran -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/TimeTable.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

using namespace llvm::support::endian;

namespace rw::htr {

/// A value of up to 64 bits may reach into a ninth byte.
static constexpr size_t Slack = 9;

void TimeTable::pack() {
  Block B;
  const uint64_t First = Last.front(), End = Last.back();
  B.Step = End > First ? (End - First) / (BlockSize - 1) : 0;
  // Differences wrap around and come right when they are added again.
  int64_t Low = 0, High = 0;
  for (size_t I = 0; I < BlockSize; ++I) {
    int64_t Off = int64_t(Last[I] - First - I * B.Step);
    Low = std::min(Low, Off);
    High = std::max(High, Off);
  }
  B.Base = First + uint64_t(Low);
  const unsigned Width = 64 - llvm::countl_zero(uint64_t(High) - uint64_t(Low));
  B.Width = Width;
  const size_t Bytes = Width ? BlockSize * Width / 8 + Slack : 0;
  B.Offset = Bits.next(Bytes);
  if (Width) {
    uint8_t *Data = Bits.grow(Bytes);
    for (size_t I = 0; I < BlockSize; ++I) {
      uint64_t V = Last[I] - B.Base - I * B.Step;
      size_t Bit = I * Width;
      uint8_t *P = Data + Bit / 8;
      unsigned Shift = Bit % 8;
      write64le(P, read64le(P) | V << Shift);
      if (Shift + Width > 64)
        P[8] |= uint8_t(V >> (64 - Shift));
    }
  }
  Blocks.push_back(B);
}

uint64_t TimeTable::at(Place P) const {
  const size_t I = P % BlockSize;
  if (P / BlockSize == Blocks.size())
    return Last[I];
  const Block &B = Blocks[P / BlockSize];
  uint64_t Time = B.Base + I * B.Step;
  if (const unsigned Width = B.Width) {
    size_t Bit = I * Width;
    const uint8_t *At = Bits.at(B.Offset) + Bit / 8;
    unsigned Shift = Bit % 8;
    uint64_t V = read64le(At) >> Shift;
    if (Shift + Width > 64)
      V |= uint64_t(At[8]) << (64 - Shift);
    Time += Width >= 64 ? V : V & ((uint64_t(1) << Width) - 1);
  }
  return Time;
}

} // namespace rw::htr
