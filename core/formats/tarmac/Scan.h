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
#include "llvm/Support/Endian.h"
#include <cstdint>

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

inline bool isDigit(char C) { return uint8_t(C - '0') < 10; }
inline bool isLower(char C) { return uint8_t(C - 'a') < 26; }
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

/// Reads decimal digits at \p P; returns how many there were, 20 if more than
/// 19.
inline unsigned scanDecimal(const char *P, uint64_t &Value) {
  uint64_t V = 0;
  unsigned N = 0;
  while (isDigit(P[N])) {
    if (N == 19)
      return 20;
    V = V * 10 + uint64_t(P[N] - '0');
    ++N;
  }
  Value = V;
  return N;
}

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_SCAN_H
