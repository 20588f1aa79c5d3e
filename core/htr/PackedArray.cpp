//===- PackedArray.cpp - Numbers in few bits ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/PackedArray.h"
#include "llvm/ADT/bit.h"
#include <vector>

using namespace llvm;
using namespace llvm::support::endian;

namespace rw::htr {

std::optional<PackedArray> PackedArray::open(ArrayRef<uint8_t> Bytes) {
  if (Bytes.size() < 8)
    return std::nullopt;
  PackedArray A;
  A.Size = support::endian::read64le(Bytes.data());
  uint64_t Blocks = A.Size / BlockSize + (A.Size % BlockSize != 0);
  if (Blocks > (Bytes.size() - 8) / 16)
    return std::nullopt;
  A.Directory = Bytes.data() + 8;
  A.Data = A.Directory + Blocks * 16;
  const uint64_t DataBytes = Bytes.end() - A.Data;
  for (uint64_t B = 0; B < Blocks; ++B) {
    const Block In(A, B);
    const uint64_t Last = std::min<uint64_t>(BlockSize, A.Size - B * BlockSize);
    // A value may be read with up to 9 bytes from where it begins.
    if (In.Width > 64 || (In.Bit + (Last - 1) * In.Width) / 8 + 9 > DataBytes)
      return std::nullopt;
  }
  return A;
}

void packArray(uint64_t Size, function_ref<uint64_t(uint64_t)> At,
               raw_pwrite_stream &Out) {
  constexpr size_t N = PackedArray::BlockSize;
  const uint64_t Blocks = (Size + N - 1) / N;
  uint8_t Word[8];
  auto bytes = [](const uint8_t *P) {
    return reinterpret_cast<const char *>(P);
  };
  write64le(Word, Size);
  Out.write(bytes(Word), sizeof(Word));
  // The directory is filled in later, some of it at a time.
  const uint64_t DirectoryAt = Out.tell();
  for (uint64_t Left = Blocks * 16; Left;) {
    unsigned Some = unsigned(std::min<uint64_t>(Left, 1 << 20));
    Out.write_zeros(Some);
    Left -= Some;
  }
  const uint64_t DataAt = Out.tell();
  std::vector<uint8_t> Directory;
  uint64_t DirectoryDone = 0;
  auto flushDirectory = [&] {
    if (!Directory.empty())
      Out.pwrite(bytes(Directory.data()), Directory.size(),
                 DirectoryAt + DirectoryDone);
    DirectoryDone += Directory.size();
    Directory.clear();
  };

  uint64_t Bit = 0;
  uint64_t Values[N];
  // Whole bytes are written, the rest is carried on to the next block.
  uint8_t Bits[N * 8 + 16] = {};
  for (uint64_t B = 0; B < Blocks; ++B) {
    size_t Count = std::min<uint64_t>(N, Size - B * N);
    uint64_t Low = ~uint64_t(0), High = 0;
    for (size_t I = 0; I < Count; ++I) {
      Values[I] = At(B * N + I);
      Low = std::min(Low, Values[I]);
      High = std::max(High, Values[I]);
    }
    const unsigned Width = 64 - countl_zero(High - Low);
    Directory.resize(Directory.size() + 16);
    write64le(&Directory[Directory.size() - 16], Low);
    write64le(&Directory[Directory.size() - 8], Bit | uint64_t(Width) << 56);
    if (Directory.size() >= 1 << 16)
      flushDirectory();
    const uint64_t First = Bit / 8;
    for (size_t I = 0; I < Count; ++I, Bit += Width) {
      uint64_t V = Values[I] - Low;
      uint8_t *P = &Bits[Bit / 8 - First];
      unsigned Shift = Bit % 8;
      write64le(P, read64le(P) | V << Shift);
      if (Shift + Width > 64)
        P[8] |= V >> (64 - Shift);
    }
    const size_t Whole = Bit / 8 - First;
    Out.write(bytes(Bits), Whole);
    uint8_t Carry = Bits[Whole];
    std::fill(std::begin(Bits), Bits + Whole + 1, 0);
    Bits[0] = Carry;
  }
  // The last value may be read with up to 9 bytes more.
  const uint64_t End = (DataAt + (Bit + 7) / 8 + 9 + 7) / 8 * 8;
  Out.write(bytes(Bits), Bit % 8 != 0);
  Out.write_zeros(unsigned(End - Out.tell()));
  flushDirectory();
}

} // namespace rw::htr
