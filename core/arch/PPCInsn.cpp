//===- PPCInsn.cpp - Facts about POWER instructions -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCInsn.h"
#include "llvm/Support/MathExtras.h"
#include <array>

namespace rw::ppc {

namespace {
using K = MemoryKind;
constexpr uint8_t L = K::Load | K::SizeKnown;
constexpr uint8_t S = K::Store | K::SizeKnown;
constexpr uint8_t X = K::Exclusive;
constexpr uint8_t Al = K::Aligned;

struct XEntry {
  uint16_t XO;
  uint8_t Size, Flags;
};

/// Primary opcode 31, by 10-bit extended opcode.
constexpr XEntry XTable[] = {
    // Integer.
    {87, 1, L},
    {119, 1, L},
    {279, 2, L},
    {311, 2, L},
    {343, 2, L},
    {375, 2, L},
    {23, 4, L},
    {55, 4, L},
    {341, 4, L},
    {373, 4, L},
    {21, 8, L},
    {53, 8, L},
    {215, 1, S},
    {247, 1, S},
    {407, 2, S},
    {439, 2, S},
    {151, 4, S},
    {183, 4, S},
    {149, 8, S},
    {181, 8, S},
    {790, 2, L},
    {918, 2, S},
    {534, 4, L},
    {662, 4, S},
    {532, 8, L},
    {660, 8, S},
    // lswx, stswx: the length is in XER.
    {533, 128, K::Load},
    {661, 128, K::Store},
    // Reserve and conditional.
    {52, 1, L | X},
    {116, 2, L | X},
    {20, 4, L | X},
    {84, 8, L | X},
    {276, 16, L | X},
    {694, 1, S | X},
    {726, 2, S | X},
    {150, 4, S | X},
    {214, 8, S | X},
    {182, 16, S | X},
    // lwat, ldat, stwat, stdat.
    {582, 4, L | S},
    {614, 8, L | S},
    {710, 4, L | S},
    {742, 8, L | S},
    // Cache inhibited.
    {789, 4, L},
    {821, 2, L},
    {853, 1, L},
    {885, 8, L},
    {917, 4, S},
    {949, 2, S},
    {981, 1, S},
    {1013, 8, S},
    // Floating point.
    {535, 4, L},
    {567, 4, L},
    {599, 8, L},
    {631, 8, L},
    {855, 4, L},
    {887, 4, L},
    {663, 4, S},
    {695, 4, S},
    {727, 8, S},
    {759, 8, S},
    {983, 4, S},
    {791, 16, L},
    {919, 16, S},
    // Vector: they ignore the low bits of the address.
    {7, 1, L | Al},
    {39, 2, L | Al},
    {71, 4, L | Al},
    {103, 16, L | Al},
    {359, 16, L | Al},
    {135, 1, S | Al},
    {167, 2, S | Al},
    {199, 4, S | Al},
    {231, 16, S | Al},
    {487, 16, S | Al},
    // VSX.
    {588, 8, L},
    {76, 4, L},
    {12, 4, L},
    {524, 4, L},
    {781, 1, L},
    {813, 2, L},
    {844, 16, L},
    {332, 8, L},
    {780, 16, L},
    {812, 16, L},
    {876, 16, L},
    {268, 16, L},
    {300, 16, L},
    {364, 4, L},
    {333, 32, L},
    {13, 1, L},
    {45, 2, L},
    {77, 4, L},
    {109, 8, L},
    {716, 8, S},
    {140, 4, S},
    {652, 4, S},
    {909, 1, S},
    {941, 2, S},
    {972, 16, S},
    {908, 16, S},
    {940, 16, S},
    {1004, 16, S},
    {396, 16, S},
    {461, 32, S},
    {141, 1, S},
    {173, 2, S},
    {205, 4, S},
    {237, 8, S},
    // lxvl, lxvll, stxvl, stxvll: the length is in a register.
    {269, 16, K::Load},
    {301, 16, K::Load},
    {397, 16, K::Store},
    {429, 16, K::Store},
    // hashst, hashchk and their privileged forms.
    {722, 8, S},
    {754, 8, L},
    {658, 8, S},
    {690, 8, L},
    // dcbz; copy, paste.
    {1014, 128, S | Al},
    {774, 128, L | Al},
    {902, 128, S | Al},
    // dcbst, dcbf, dcbtst, dcbt, icbi, icbt.
    {54, 128, K::Touch | Al},
    {86, 128, K::Touch | Al},
    {246, 128, K::Touch | Al},
    {278, 128, K::Touch | Al},
    {982, 128, K::Touch | Al},
    {22, 128, K::Touch | Al},
};

constexpr auto ByXO = [] {
  std::array<K, 1024> T{};
  for (const XEntry &E : XTable)
    T[E.XO] = {E.Size, E.Flags};
  return T;
}();

constexpr auto ByPrimary = [] {
  std::array<K, 64> T{};
  const XEntry D[] = {
      {32, 4, L}, {33, 4, L}, {34, 1, L}, {35, 1, L}, {36, 4, S},  {37, 4, S},
      {38, 1, S}, {39, 1, S}, {40, 2, L}, {41, 2, L}, {42, 2, L},  {43, 2, L},
      {44, 2, S}, {45, 2, S}, {48, 4, L}, {49, 4, L}, {50, 8, L},  {51, 8, L},
      {52, 4, S}, {53, 4, S}, {54, 8, S}, {55, 8, S}, {56, 16, L},
  };
  for (const XEntry &E : D)
    T[E.XO] = {E.Size, E.Flags};
  return T;
}();

/// 8LS prefixed instructions by the primary opcode of the suffix.
constexpr auto By8LS = [] {
  std::array<K, 64> T{};
  const XEntry D[] = {
      {41, 4, L},  {42, 8, L},  {43, 4, L},  {46, 8, S},  {47, 4, S},
      {50, 16, L}, {51, 16, L}, {54, 16, S}, {55, 16, S}, {56, 16, L},
      {57, 8, L},  {58, 32, L}, {60, 16, S}, {61, 8, S},  {62, 32, S},
  };
  for (const XEntry &E : D)
    T[E.XO] = {E.Size, E.Flags};
  return T;
}();

constexpr uint32_t xo10(uint32_t Op) { return (Op >> 1) & 0x3ff; }
constexpr uint32_t bo(uint32_t Op) { return (Op >> 21) & 31; }
} // namespace

MemoryKind memoryKind(uint32_t Prefix, uint32_t Op) {
  unsigned Major = Op >> 26;
  if (Prefix) {
    switch ((Prefix >> 24) & 3) {
    case 0:
      return By8LS[Major];
    case 2: // MLS: the D form's sizes; only those without update exist
      return Major >= 32 && Major < 56 && Major != 46 && Major != 47
                 ? ByPrimary[Major]
                 : MemoryKind();
    default:
      return {};
    }
  }
  switch (Major) {
  case 31: {
    unsigned XO = xo10(Op);
    if (XO == 597 || XO == 725) { // lswi, stswi
      unsigned NB = (Op >> 11) & 31;
      return {uint8_t(NB ? NB : 32), XO == 597 ? L : S};
    }
    return ByXO[XO];
  }
  case 46: // lmw, stmw
  case 47:
    return {uint8_t(4 * (32 - bo(Op))), Major == 46 ? L : S};
  case 6:
    return (Op & 15) == 0 ? K{32, L} : (Op & 15) == 1 ? K{32, S} : K{};
  case 57:
    switch (Op & 3) {
    case 0:
      return {16, L};
    case 2:
      return {8, L};
    case 3:
      return {4, L};
    }
    return {};
  case 58:
    switch (Op & 3) {
    case 0:
    case 1:
      return {8, L};
    case 2:
      return {4, L};
    }
    return {};
  case 61:
    switch (Op & 7) {
    case 1:
      return {16, L};
    case 5:
      return {16, S};
    case 0:
    case 4:
      return {16, S};
    case 2:
    case 6:
      return {8, S};
    default:
      return {4, S};
    }
  case 62:
    switch (Op & 3) {
    case 0:
    case 1:
      return {8, S};
    case 2:
      return {16, S};
    }
    return {};
  default:
    return ByPrimary[Major];
  }
}

bool isConditional(uint32_t Op) {
  unsigned Major = Op >> 26, XO = xo10(Op);
  if (Major != 16 && !(Major == 19 && (XO == 16 || XO == 528 || XO == 560)))
    return false;
  return (bo(Op) & 0x14) != 0x14;
}

std::optional<uint64_t> branchTarget(uint32_t Op, uint64_t PC) {
  uint64_t Base = Op & 2 ? 0 : PC;
  switch (Op >> 26) {
  case 16:
    return Base + uint64_t(llvm::SignExtend64<16>(Op & 0xfffc));
  case 18:
    return Base + uint64_t(llvm::SignExtend64<26>(Op & 0x03fffffc));
  }
  return std::nullopt;
}

bool isPlausible(uint32_t Prefix, uint32_t Op) {
  unsigned Major = Op >> 26;
  if (Prefix) // pnop has any suffix
    return isPrefix(Prefix);
  switch (Major) {
  case 0:
  case 1:
  case 5:
  case 9:
  case 22:
    return false;
  default:
    break;
  }
  // A load or store that takes 0 for its base: an address below 32 KiB, which
  // no program uses, and the way a kernel address looks (0xc000...).
  if (Major >= 32 && Major < 56 && ((Op >> 16) & 31) == 0)
    return false;
  return true;
}

} // namespace rw::ppc
