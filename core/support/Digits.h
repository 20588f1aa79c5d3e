//===- Digits.h - Numbers as text, quickly ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A listing writes a dozen numbers a row, a million rows a second: streams and
// format strings are too slow for that.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_DIGITS_H
#define REWIND_SUPPORT_DIGITS_H

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

namespace rw {

inline constexpr char HexLetters[] = "0123456789abcdef";

/// Appends "1234".
inline void appendDecimal(std::string &Out, uint64_t Value) {
  char Text[20];
  Out.append(Text,
             size_t(std::to_chars(Text, std::end(Text), Value).ptr - Text));
}

/// Appends "0x00ab", with at least \p Digits digits, of which 64 bits have 16.
inline void appendHex(std::string &Out, uint64_t Value, unsigned Digits = 0) {
  char Text[18];
  char *const End = std::end(Text);
  char *At = End;
  do {
    *--At = HexLetters[Value & 15];
    Value >>= 4;
  } while (Value || (End - At < ptrdiff_t(Digits) && At > Text + 2));
  *--At = 'x';
  *--At = '0';
  Out.append(At, size_t(End - At));
}

/// "0x00ab", with at least \p Digits digits.
inline std::string hex(uint64_t Value, unsigned Digits = 0) {
  std::string Text;
  appendHex(Text, Value, Digits);
  return Text;
}

/// "1,024".
inline std::string grouped(uint64_t Value) {
  std::string Text = std::to_string(Value);
  for (size_t I = Text.size(); I > 3;)
    Text.insert(I -= 3, 1, ',');
  return Text;
}

/// Appends "ab".
inline void appendHexByte(std::string &Out, uint8_t Byte) {
  const char Text[] = {HexLetters[Byte >> 4], HexLetters[Byte & 15]};
  Out.append(Text, 2);
}

} // namespace rw

#endif // REWIND_SUPPORT_DIGITS_H
