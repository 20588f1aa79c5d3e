//===- RegisterValue.cpp - The value on a register line -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/RegisterValue.h"
#include "llvm/ADT/SmallString.h"
#include <algorithm>

namespace rw::tarmac {

static bool isDontCare(char C) {
  return C == 'x' || C == 'X' || C == '?' || C == '_';
}
static bool isValueChar(char C) {
  return isHex(C) || isDontCare(C) || C == '-' || C == ':';
}

/// Appends the digits of \p W. An underscore separates digits, unless the word
/// has just the right length with it: then it is a digit nobody knows.
static void appendDigits(llvm::SmallVectorImpl<char> &Digits, llvm::StringRef W,
                         unsigned Expected) {
  bool Separators = Expected == 0 || W.size() != Expected;
  for (char C : W)
    if (C != ':' && (C != '_' || !Separators))
      Digits.push_back(C);
}

const char *RegisterValue::read(LineText &T, RegKind Kind, unsigned Expected,
                                bool MayBeCut) {
  llvm::SmallString<64> Digits;
  llvm::StringRef First = LineText(T).word();
  if (First.empty() || !llvm::all_of(First, isValueChar) ||
      First.front() == ':')
    return "expected a value in hex digits";
  T.word();
  appendDigits(Digits, First, Kind == RegKind::Cpsr ? 8 : Expected);

  // A value may go on after a blank, where text may follow as well.
  bool Pairs =
      Kind == RegKind::SP || Kind == RegKind::LR || Kind == RegKind::Named;
  bool Dashes = llvm::all_of(Digits, [](char C) { return C == '-'; });
  while (Expected ? Digits.size() < Expected
                  : Pairs && First.size() == 8 && Digits.size() == 8) {
    LineText Ahead = T;
    llvm::StringRef W = Ahead.word();
    if (W.empty() || !llvm::all_of(W, isValueChar) || W.front() == '_' ||
        (Expected ? Digits.size() + W.size() > Expected : W.size() != 8))
      break;
    appendDigits(Digits, W, 0);
    T = Ahead;
    Dashes &= llvm::all_of(W, [](char C) { return C == '-'; });
  }
  if (Digits.empty())
    return "expected a value in hex digits";
  if (Dashes)
    return nullptr; // nothing is written
  auto AllOf = [&](auto Pred) { return llvm::all_of(Digits, Pred); };
  bool Zero = AllOf([](char C) { return C == '0'; });

  unsigned Width = Expected;
  switch (Kind) {
  case RegKind::Cpsr:
    Width = 8;
    break;
  case RegKind::Named:
    Width = Digits.size() + Digits.size() % 2;
    if (Width > 32)
      return "its value has more than 32 digits";
    break;
  case RegKind::SP:
  case RegKind::LR:
    Width = Digits.size() <= 8 ? 8 : 16;
    break;
  case RegKind::Z:
    Width = Expected ? Expected : Digits.size();
    if (!Expected && (Width % 32 != 0 || Width > 512))
      return "expected 32 to 512 digits";
    break;
  case RegKind::P:
    Width = Expected ? Expected : Digits.size();
    if (!Expected && (Width % 4 != 0 || Width > 64))
      return "expected 4 to 64 digits";
    break;
  case RegKind::PC:
    Width = 16;
    break;
  default:
    break;
  }
  if (Digits.size() > Width) {
    // The status registers are reported wider than they are.
    size_t Excess = Digits.size() - Width;
    bool Elided = std::all_of(Digits.begin(), Digits.begin() + Excess,
                              [](char C) { return C == '0'; });
    if (!Elided && Kind != RegKind::Cpsr && Kind != RegKind::Status)
      return "its value has too many digits";
    Digits.erase(Digits.begin(), Digits.begin() + Excess);
  }
  if (Digits.size() < Width) {
    bool Nothing = AllOf(isDontCare);
    bool Wants =
        Kind != RegKind::Cpsr && Kind != RegKind::Named && Kind != RegKind::PC;
    if (Wants && ((!Zero && !Nothing) || MayBeCut))
      return "its value has too few digits";
    Short = Zero;
    Digits.insert(Digits.begin(), Width - Digits.size(), Nothing ? 'x' : '0');
  } else if (Digits.size() % 2 != 0)
    return "its value has an odd number of digits";

  Size = Width / 2;
  for (unsigned I = 0; I < Size; ++I) {
    char A = Digits[Width - 2 * I - 2], B = Digits[Width - 2 * I - 1];
    if (A == '-' && B == '-')
      continue;
    if (A == '-' || B == '-')
      return "half a byte is marked as not written";
    Written.set(I);
    int High = hexDigit(A), Low = hexDigit(B);
    if (High < 0 || Low < 0)
      Unknown.set(I);
    else
      Bytes[I] = uint8_t(High << 4 | Low);
  }
  return nullptr;
}

void RegisterValue::moveTo(unsigned Offset) {
  for (unsigned I = Size; I-- > 0;) {
    if (I + Offset >= Bytes.size())
      continue;
    Bytes[I + Offset] = Bytes[I];
  }
  std::fill(Bytes.begin(), Bytes.begin() + std::min<size_t>(Offset, 256), 0);
  Written <<= Offset;
  Unknown <<= Offset;
  if (Size)
    Size = std::min<unsigned>(Size + Offset, 256);
}

uint64_t RegisterValue::word(unsigned From) const {
  uint64_t V = 0;
  for (unsigned I = 0; I < 8 && From + I < Bytes.size(); ++I)
    V |= uint64_t(Bytes[From + I]) << (8 * I);
  return V;
}
static uint8_t mask(const std::bitset<256> &Bits, unsigned From) {
  uint8_t M = 0;
  for (unsigned I = 0; I < 8 && From + I < 256; ++I)
    M |= uint8_t(Bits[From + I] << I);
  return M;
}
uint8_t RegisterValue::written(unsigned From) const {
  return mask(Written, From);
}
uint8_t RegisterValue::unknown(unsigned From) const {
  return mask(Unknown, From);
}

} // namespace rw::tarmac
