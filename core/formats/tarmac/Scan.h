//===- Scan.h - Numbers out of text, eight bytes at a time ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions read up to 16 bytes past the pointer, whatever is there: a
// buffer that is scanned has SlackBytes of padding behind its end.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_SCAN_H
#define REWIND_FORMATS_TARMAC_SCAN_H

#include "llvm/ADT/bit.h"
#include "llvm/Support/Compiler.h"
#include "llvm/Support/Endian.h"
#include <cstdint>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace rw::tarmac {

constexpr size_t SlackBytes = 64;
constexpr uint64_t Ones = 0x0101010101010101;

inline uint64_t load8(const char *P) {
  return llvm::support::endian::read64le(P);
}
inline uint32_t load4(const char *P) {
  return llvm::support::endian::read32le(P);
}
inline uint16_t load2(const char *P) {
  return llvm::support::endian::read16le(P);
}
/// A mask of the first \p N bytes of a word that was loaded from text.
inline uint64_t firstBytes(unsigned N) {
  return N >= 8 ? ~uint64_t(0) : (uint64_t(1) << (8 * N)) - 1;
}

inline bool isDigit(char C) { return uint8_t(C - '0') < 10; }
inline bool isBlank(char C) { return C == ' ' || C == '\t'; }
inline int hexDigit(char C) {
  if (isDigit(C))
    return C - '0';
  uint8_t L = uint8_t((C | 0x20) - 'a');
  return L < 6 ? L + 10 : -1;
}
inline bool isHex(char C) { return hexDigit(C) >= 0; }
inline bool isEol(char C) { return C == '\n' || C == '\r'; }

/// How many of the eight characters of \p X, the first in the low byte, are hex
/// digits before the first that is none.
inline unsigned leadingHex(uint64_t X) {
  constexpr uint64_t High = Ones << 7;
  uint64_t L = X | (Ones * 0x20);
  uint64_t GE0 = (X | High) - Ones * 0x30;
  uint64_t GT9 = (X & ~High) + Ones * 0x46;
  uint64_t GEa = (L | High) - Ones * 0x61;
  uint64_t GTf = (L & ~High) + Ones * 0x19;
  uint64_t Bad = ~((GE0 & ~GT9) | (GEa & ~GTf)) | X;
  Bad &= High;
  return Bad ? unsigned(llvm::countr_zero(Bad)) / 8 : 8;
}

/// The value of the first \p N (1 to 8) hex digits of \p X.
inline uint32_t hexValue(uint64_t X, unsigned N) {
  uint64_t Nibbles = (X & (Ones * 0x0f)) + ((X >> 6) & Ones) * 9;
  Nibbles <<= 64 - 8 * N;
  uint64_t T = ((Nibbles << 4) | (Nibbles >> 8)) & 0x00ff00ff00ff00ff;
  T = ((T << 8) | (T >> 16)) & 0x0000ffff0000ffff;
  return uint32_t((T << 16) | (T >> 32));
}

/// Reads 1 to 16 hex digits at \p P; returns how many there were. 17 if there
/// are more.
#ifdef __SSE2__
LLVM_ATTRIBUTE_ALWAYS_INLINE unsigned scanHex(const char *P, uint64_t &Value) {
  __m128i X = _mm_loadu_si128(reinterpret_cast<const __m128i *>(P));
  __m128i L = _mm_or_si128(X, _mm_set1_epi8(0x20));
  __m128i Digit = _mm_and_si128(_mm_cmpgt_epi8(X, _mm_set1_epi8('0' - 1)),
                                _mm_cmplt_epi8(X, _mm_set1_epi8('9' + 1)));
  __m128i Alpha = _mm_and_si128(_mm_cmpgt_epi8(L, _mm_set1_epi8('a' - 1)),
                                _mm_cmplt_epi8(L, _mm_set1_epi8('f' + 1)));
  unsigned Good = unsigned(_mm_movemask_epi8(_mm_or_si128(Digit, Alpha)));
  unsigned N = unsigned(llvm::countr_one(Good));
  Value = 0;
  if (N == 0)
    return 0;
  // Nibbles, then pairs of them as bytes, the first digit in the lowest.
  __m128i Nibble = _mm_add_epi8(_mm_and_si128(X, _mm_set1_epi8(0x0f)),
                                _mm_and_si128(Alpha, _mm_set1_epi8(9)));
  __m128i Pair = _mm_and_si128(
      _mm_or_si128(_mm_slli_epi16(Nibble, 4), _mm_srli_epi16(Nibble, 8)),
      _mm_set1_epi16(0x00ff));
  __m128i Bytes = _mm_packus_epi16(Pair, Pair);
  Value = llvm::byteswap(uint64_t(_mm_cvtsi128_si64(Bytes))) >> (64 - 4 * N);
  return N == 16 && isHex(P[16]) ? 17 : N;
}
#else
inline unsigned scanHex(const char *P, uint64_t &Value) {
  uint64_t A = load8(P);
  unsigned N = leadingHex(A);
  if (N < 8) {
    Value = N ? hexValue(A, N) : 0;
    return N;
  }
  uint64_t B = load8(P + 8);
  unsigned M = leadingHex(B);
  if (M == 0) {
    Value = hexValue(A, 8);
    return 8;
  }
  Value = uint64_t(hexValue(A, 8)) << (4 * M) | hexValue(B, M);
  if (M == 8 && isHex(P[16]))
    return 17;
  return 8 + M;
}
#endif

/// How many of the eight characters of \p X are decimal digits before the first
/// that is none.
inline unsigned leadingDecimal(uint64_t X) {
  constexpr uint64_t High = Ones << 7;
  uint64_t GE0 = (X | High) - Ones * '0';
  uint64_t GT9 = (X & ~High) + Ones * (0x7f - '9');
  uint64_t Bad = (~(GE0 & ~GT9) | X) & High;
  return Bad ? unsigned(llvm::countr_zero(Bad)) / 8 : 8;
}

/// Reads decimal digits at \p P; returns how many there were, 20 if more than
/// 19.
inline unsigned scanDecimal(const char *P, uint64_t &Value) {
  uint64_t X = load8(P);
  unsigned N = leadingDecimal(X);
  Value = 0;
  if (N == 0)
    return 0;
  // Pairs, then fours, then all eight; the missing ones in front are zero.
  X = (X & (Ones * 0x0f)) << (64 - 8 * N);
  X = (X * 10 + (X >> 8)) & 0x00ff00ff00ff00ff;
  X = (X * 100 + (X >> 16)) & 0x0000ffff0000ffff;
  uint64_t V = (X * 10000 + (X >> 32)) & 0xffffffff;
  if (N == 8)
    for (; isDigit(P[N]); ++N) {
      if (N == 19)
        return 20;
      V = V * 10 + uint64_t(P[N] - '0');
    }
  Value = V;
  return N;
}

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_SCAN_H
