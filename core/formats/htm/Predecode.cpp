//===- Predecode.cpp - Branches as the core predecodes them ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/Predecode.h"
#include "llvm/Support/MathExtras.h"

namespace rw::htm {

namespace {
constexpr uint32_t B = 18u << 26, BC = 16u << 26;
constexpr uint32_t BCLR = 0x4c000020, BCCTR = 0x4c000420, BCTAR = 0x4c000460;
constexpr unsigned Absolute = 2;

/// Bits First..Last of a 32-bit word, IBM numbering.
constexpr uint32_t field(uint32_t W, unsigned First, unsigned Last) {
  return (W << First) >> (First + 31 - Last);
}

/// The displacement is target - EA, and of both only the low bits matter; so
/// the "mode" that tells how their high parts relate is needed for absolute
/// branches alone.
uint32_t branchI(uint32_t Target, unsigned Mode, uint32_t LK, uint64_t EA) {
  if (Mode == Absolute)
    return B | (Target & 0x03fffffc) | 2 | LK;
  return B | ((Target - uint32_t(EA)) & 0x03fffffc) | LK;
}

uint32_t branchB(uint32_t Target, unsigned Mode, uint32_t BOBI, uint32_t LK,
                 uint64_t EA) {
  uint32_t Op = BC | BOBI << 16 | LK;
  if (Mode == Absolute)
    return Op | (Target & 0xfffc) | 2;
  return Op | ((Target - uint32_t(EA)) & 0xfffc);
}

uint32_t p10TargetI(uint32_t W) {
  return (field(W, 4, 10) << 17 | field(W, 15, 31)) << 2;
}
uint32_t p10TargetB(uint32_t W) {
  return (field(W, 4, 4) << 13 | field(W, 19, 31)) << 2;
}
uint32_t p10BI(uint32_t W) { return field(W, 10, 10) << 4 | field(W, 15, 18); }
} // namespace

uint32_t demungeP8(uint32_t W, uint64_t EA) {
  if (isIsel(W))
    return W;
  uint32_t LK = (W >> 30) & 1;
  unsigned Type = (W >> 28) & 3, Mode = (W >> 26) & 3;
  if (Type == 0 && !(W & 2))
    Type = 1;
  if (Type == 0)
    return branchI(W, Mode, LK, EA);
  uint32_t BOBI = (W >> 15) & 0x3ff;
  if (Type == 1)
    return branchB((W >> 25 & 1) << 15 | (W & 0x7ffc), Mode, BOBI, LK, EA);
  uint32_t BH = W & 0x1800;
  if (Type == 2)
    return BCLR | BOBI << 16 | BH | LK;
  return (W & 0x2000 ? BCTAR : BCCTR) | BOBI << 16 | BH | LK;
}

uint32_t demungeP10(uint32_t W, uint64_t EA) {
  if (isIsel(W))
    return W;
  uint32_t LK = field(W, 1, 1);
  unsigned Mode = field(W, 2, 3), Type = field(W, 11, 12);
  if (Type == 0)
    return branchI(p10TargetI(W), Mode, LK, EA);
  uint32_t Hint = field(W, 13, 13);
  if (Type == 1) {
    uint32_t BO = field(W, 5, 8) << 1 | Hint;
    return branchB(p10TargetB(W), Mode, BO << 5 | p10BI(W), LK, EA);
  }
  if (Type == 3) {
    // System instructions have the branch bit and type 3 but keep their form,
    // except for what the core puts into bits 11:14. A recoded bcctr has mode
    // 2, so its top bits are never one of these.
    unsigned Major = W >> 26, XO = (W >> 1) & 0x3ff;
    if (Major == 17 || Major == 19 || (Major == 31 && (XO == 146 || XO == 178)))
      return W & ~0x001e0000u;
    if (Major == 31)
      return W;
  }
  uint32_t BO = field(W, 5, 8) << 1;
  // Bit 13 is the prediction's "t" bit if there is a prediction (ISA, BO field
  // encodings), and can be anything if there is none.
  bool Predicts = (BO & 2) || (BO & 0x1c) == 0x18;
  if (Predicts)
    BO |= Hint;
  uint32_t Op = BO << 21 | p10BI(W) << 16 | field(W, 21, 22) << 11 | LK;
  if (Type == 2)
    return BCLR | Op;
  return (field(W, 20, 20) ? BCTAR : BCCTR) | Op;
}

std::optional<AmbiguousBranch> ambiguousP10(uint32_t W, uint64_t EA) {
  unsigned Type = field(W, 11, 12);
  // isel's own bit 31 is 0, and major 31 means LK = 1 and mode 3.
  if (!isIsel(W) || Type > 1)
    return std::nullopt;
  AmbiguousBranch A;
  unsigned HighShift;
  int64_t Displacement;
  if (Type == 0) {
    A.Opcode = branchI(p10TargetI(W), 3, 1, EA);
    Displacement = llvm::SignExtend64<26>(A.Opcode & 0x03fffffc);
    HighShift = 26;
  } else {
    uint32_t BO = field(W, 5, 8) << 1 | field(W, 13, 13);
    A.Opcode = branchB(p10TargetB(W), 3, BO << 5 | p10BI(W), 1, EA);
    Displacement = llvm::SignExtend64<16>(A.Opcode & 0xfffc);
    HighShift = 16;
  }
  A.Target = EA + uint64_t(Displacement);
  if (A.Target >> HighShift != (EA >> HighShift) - 1)
    return std::nullopt;
  return A;
}

} // namespace rw::htm
