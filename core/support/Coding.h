//===- Coding.h - Small codes -----------------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variable-length numbers, little-endian bytes and masks, as the store and its
// further sections use them. Readers are bounded: past the end they yield zero
// and remember it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_CODING_H
#define REWIND_SUPPORT_CODING_H

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace rw {

using Bytes = std::vector<uint8_t>;

/// The mask of bits that belong to a mask of bytes.
inline uint64_t expandMask(uint8_t Mask) {
  static constexpr auto Table = [] {
    std::array<uint64_t, 256> T{};
    for (unsigned M = 0; M < 256; ++M)
      for (unsigned B = 0; B < 8; ++B)
        if (M & (1u << B))
          T[M] |= uint64_t(0xff) << (8 * B);
    return T;
  }();
  return Table[Mask];
}

constexpr uint64_t zigzag(int64_t V) {
  return (uint64_t(V) << 1) ^ uint64_t(V >> 63);
}
constexpr int64_t unzigzag(uint64_t V) {
  return int64_t(V >> 1) ^ -int64_t(V & 1);
}

/// Whether V fits in N bytes as a signed number.
constexpr bool fitsSigned(int64_t V, unsigned N) {
  int64_t Limit = int64_t(1) << (8 * N - 1);
  return V >= -Limit && V < Limit;
}
constexpr int64_t signExtend(uint64_t V, unsigned N) {
  return N >= 8 ? int64_t(V) : int64_t(V << (64 - 8 * N)) >> (64 - 8 * N);
}
/// Bytes that are needed to hold V, 0 for 0.
constexpr unsigned significantBytes(uint64_t V) {
  return (64 - unsigned(std::countl_zero(V)) + 7) / 8;
}

inline void putVarint(Bytes &Out, uint64_t V) {
  while (V >= 0x80) {
    Out.push_back(uint8_t(V) | 0x80);
    V >>= 7;
  }
  Out.push_back(uint8_t(V));
}
inline void putBytes(Bytes &Out, uint64_t V, unsigned N) {
  if (!N)
    return;
  size_t At = Out.size();
  Out.resize(At + N);
  std::memcpy(Out.data() + At, &V, N);
}
template <typename T> void putRaw(Bytes &Out, const T *Data, size_t Count) {
  if (!Count)
    return;
  const auto *P = reinterpret_cast<const uint8_t *>(Data);
  Out.insert(Out.end(), P, P + Count * sizeof(T));
}
inline void alignTo8(Bytes &Out) {
  while (Out.size() % 8)
    Out.push_back(0);
}

/// Writes a varint into a buffer that certainly has the room.
inline void putVarintAt(uint8_t *&To, uint64_t V) {
  for (; V >= 0x80; V >>= 7)
    *To++ = uint8_t(V) | 0x80;
  *To++ = uint8_t(V);
}
/// Writes 8 bytes, of which the first \p N count.
inline void putBytesAt(uint8_t *&To, uint64_t V, unsigned N) {
  std::memcpy(To, &V, 8);
  To += N;
}

/// Reads forward within [P, End). After a read past the end it is exhausted:
/// every read yields 0.
class ByteReader {
public:
  ByteReader() = default;
  ByteReader(const uint8_t *Begin, const uint8_t *End) : P(Begin), End(End) {}

  uint64_t varint() {
    if (P < End && *P < 0x80)
      return *P++;
    return varintSlow();
  }
  uint64_t bytes(unsigned N) {
    uint64_t V = 0;
    if (uint64_t(End - P) >= 8) { // the common case: one load
      std::memcpy(&V, P, 8);
      P += N;
      return N >= 8 ? V : V & ((uint64_t(1) << (8 * N)) - 1);
    }
    if (uint64_t(End - P) < N) {
      fail();
      return 0;
    }
    if (N)
      std::memcpy(&V, P, N);
    P += N;
    return V;
  }
  uint8_t byte() {
    if (P >= End) {
      fail();
      return 0;
    }
    return *P++;
  }
  void skip(uint64_t N) {
    if (uint64_t(End - P) < N)
      fail();
    else
      P += N;
  }
  bool failed() const { return Failed; }
  bool atEnd() const { return P >= End; }
  const uint8_t *position() const { return P; }

private:
  uint64_t varintSlow() {
    uint64_t V = 0;
    for (unsigned Shift = 0; P < End && Shift < 64; Shift += 7) {
      uint8_t B = *P++;
      V |= uint64_t(B & 0x7f) << Shift;
      if (B < 0x80)
        return V;
    }
    fail();
    return 0;
  }
  void fail() {
    Failed = true;
    P = End;
  }

  const uint8_t *P = nullptr, *End = nullptr;
  bool Failed = false;
};

/// Bits, lowest first.
class BitWriter {
public:
  void put(bool Bit) {
    Pending |= uint64_t(Bit) << Count;
    if (++Count == 64)
      finish();
  }
  /// Completes the last byte of Data.
  void finish() {
    putBytes(Data, Pending, (Count + 7) / 8);
    Pending = Count = 0;
  }
  void clear() {
    Data.clear();
    Pending = Count = 0;
  }
  Bytes Data; ///< after finish()

private:
  uint64_t Pending = 0;
  unsigned Count = 0; ///< bits of Pending
};

/// Past the end it yields false.
class BitReader {
public:
  BitReader() = default;
  BitReader(const uint8_t *Begin, const uint8_t *End) : P(Begin), End(End) {}
  bool get() {
    if (!Count)
      refill();
    const bool B = Pending & 1;
    Pending >>= 1;
    --Count;
    return B;
  }

private:
  void refill() {
    if (End - P >= 8) {
      std::memcpy(&Pending, P, 8);
      P += 8;
    } else {
      Pending = 0;
      for (unsigned Shift = 0; P != End; Shift += 8)
        Pending |= uint64_t(*P++) << Shift;
    }
    Count = 64;
  }

  const uint8_t *P = nullptr, *End = nullptr;
  uint64_t Pending = 0; ///< Count bits that were read ahead
  unsigned Count = 0;
};

/// Four-bit numbers, low half of a byte first.
class NibbleWriter {
public:
  void put(uint8_t V) {
    if (Count % 2 == 0)
      Data.push_back(V);
    else
      Data.back() |= uint8_t(V << 4);
    ++Count;
  }
  void clear() {
    Data.clear();
    Count = 0;
  }
  Bytes Data;

private:
  uint64_t Count = 0;
};

class NibbleReader {
public:
  NibbleReader() = default;
  NibbleReader(const uint8_t *Begin, const uint8_t *End)
      : Base(Begin), Limit(uint64_t(End - Begin) * 2) {}
  uint8_t get() {
    if (At >= Limit)
      return 0;
    uint8_t B = Base[At >> 1];
    uint8_t V = At & 1 ? B >> 4 : B & 15;
    ++At;
    return V;
  }

private:
  const uint8_t *Base = nullptr;
  uint64_t Limit = 0, At = 0;
};

} // namespace rw

#endif // REWIND_SUPPORT_CODING_H
