//===- FloatText.cpp - Floating-point numbers as text ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/types/FloatText.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include <charconv>
#include <cmath>
#include <cstring>

using namespace llvm;

namespace rw {

FloatKind floatKind(Arch Machine, StringRef Name, uint64_t Size) {
  if (Size == 2)
    return Name.contains("bf") ? FloatKind::BFloat : FloatKind::Half;
  if (Size == 4)
    return FloatKind::Single;
  if (Size == 8)
    return FloatKind::Double;
  if (Name.contains("128"))
    return FloatKind::Quad;
  if (Machine == Arch::X86_64)
    return FloatKind::X87;
  return Machine == Arch::PPC64 || Machine == Arch::PPC64LE
             ? FloatKind::DoubleDouble
             : FloatKind::Quad;
}

unsigned floatBytes(FloatKind Kind) {
  static constexpr unsigned Sizes[] = {2, 2, 4, 8, 10, 16, 16};
  return Sizes[unsigned(Kind)];
}

static const fltSemantics &semantics(FloatKind Kind) {
  switch (Kind) {
  case FloatKind::Half:
    return APFloat::IEEEhalf();
  case FloatKind::BFloat:
    return APFloat::BFloat();
  case FloatKind::Single:
    return APFloat::IEEEsingle();
  case FloatKind::Double:
    return APFloat::IEEEdouble();
  case FloatKind::X87:
    return APFloat::x87DoubleExtended();
  case FloatKind::Quad:
    return APFloat::IEEEquad();
  case FloatKind::DoubleDouble:
    return APFloat::PPCDoubleDouble();
  }
  llvm_unreachable("all kinds are covered");
}

template <class F> static std::string shortest(ArrayRef<uint8_t> Bytes) {
  F Number;
  uint8_t Host[sizeof(F)];
  for (size_t I = 0; I < sizeof(F); ++I)
    Host[sys::IsLittleEndianHost ? I : sizeof(F) - 1 - I] = Bytes[I];
  std::memcpy(&Number, Host, sizeof(F));
  if (std::isnan(Number))
    return std::signbit(Number) ? "-nan" : "nan";
  char Text[64];
  auto End = std::to_chars(Text, std::end(Text), Number);
  return std::string(Text, End.ptr);
}

static APFloat numberOf(FloatKind Kind, ArrayRef<uint8_t> Bytes) {
  assert(Bytes.size() >= floatBytes(Kind));
  uint64_t Words[2] = {};
  for (unsigned I = 0; I < floatBytes(Kind); ++I)
    Words[I / 8] |= uint64_t(Bytes[I]) << 8 * (I % 8);
  // The first of the two doubles is the low word of the pair.
  return APFloat(semantics(Kind), APInt(8 * floatBytes(Kind), Words));
}

/// What has no digits.
static std::string wordFor(const APFloat &Number) {
  const char *Sign = Number.isNegative() ? "-" : "";
  return Number.isNaN()        ? Sign + std::string("nan")
         : Number.isInfinity() ? Sign + std::string("inf")
                               : "";
}

bool isFloatZero(FloatKind Kind, ArrayRef<uint8_t> Bytes) {
  return numberOf(Kind, Bytes).isZero();
}

std::string floatLiteral(FloatKind Kind, ArrayRef<uint8_t> Bytes) {
  const APFloat Number = numberOf(Kind, Bytes);
  if (std::string Word = wordFor(Number); !Word.empty())
    return Word;
  char Text[64];
  const unsigned Size = Number.convertToHexString(
      Text, /*HexDigits=*/0, /*UpperCase=*/false, RoundingMode::TowardZero);
  return std::string(Text, Size) + "L";
}

std::vector<uint8_t> floatOfParts(FloatKind Kind, ArrayRef<double> Parts) {
  APFloat Sum = APFloat::getZero(semantics(Kind), std::signbit(Parts.front()));
  // The smallest first: that rounds nothing.
  for (double Part : reverse(Parts)) {
    if (Part == 0)
      continue;
    APFloat Number(Part);
    bool Inexact;
    Number.convert(semantics(Kind), RoundingMode::NearestTiesToEven, &Inexact);
    Sum.add(Number, RoundingMode::NearestTiesToEven);
  }
  const APInt Bits = Sum.bitcastToAPInt();
  std::vector<uint8_t> Bytes(floatBytes(Kind));
  for (unsigned I = 0; I < Bytes.size(); ++I)
    Bytes[I] = uint8_t(Bits.extractBitsAsZExtValue(8, 8 * I));
  return Bytes;
}

std::string floatText(FloatKind Kind, ArrayRef<uint8_t> Bytes) {
  assert(Bytes.size() >= floatBytes(Kind));
  if (Kind == FloatKind::Single)
    return shortest<float>(Bytes);
  if (Kind == FloatKind::Double)
    return shortest<double>(Bytes);
  const APFloat Number = numberOf(Kind, Bytes);
  if (std::string Word = wordFor(Number); !Word.empty())
    return Word;
  SmallString<64> Text;
  Number.toString(Text, 0, 16, /*TruncateZero=*/true);
  return StringRef(Text).lower();
}

} // namespace rw
