//===- PPCInference.cpp - Register values that code implies ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCInference.h"
#include "core/arch/PPCInsn.h"
#include "core/arch/RegisterFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {
constexpr unsigned SprLR = 8, SprCTR = 9;
constexpr unsigned LaneLR = ppc::LR, LaneCTR = ppc::CTR;

struct Form {
  uint32_t Op;
  unsigned major() const { return Op >> 26; }
  unsigned rt() const { return Op >> 21 & 31; }
  unsigned ra() const { return Op >> 16 & 31; }
  unsigned rb() const { return Op >> 11 & 31; }
  unsigned xo() const { return Op >> 1 & 0x3ff; }
  bool rc() const { return Op & 1; }
  int64_t si() const { return SignExtend64<16>(Op & 0xffff); }
  uint64_t ui() const { return Op & 0xffff; }
  unsigned spr() const { return (Op >> 16 & 31) | (Op >> 11 & 31) << 5; }
};

/// The base register that a load or store with update leaves its address in.
std::optional<unsigned> updatedBase(Form F) {
  switch (F.major()) {
  case 33:
  case 35:
  case 37:
  case 39:
  case 41:
  case 43:
  case 45:
  case 49:
  case 51:
  case 53:
  case 55:
    return F.ra();
  case 58:
  case 62:
    if ((F.Op & 3) == 1)
      return F.ra();
    break;
  case 31:
    switch (F.xo()) {
    case 53:
    case 55:
    case 119:
    case 181:
    case 183:
    case 247:
    case 311:
    case 373:
    case 375:
    case 439:
    case 567:
    case 631:
    case 695:
    case 759:
      return F.ra();
    }
    break;
  }
  return std::nullopt;
}
} // namespace

void PPCInference::derive(uint64_t PC, uint64_t Opcode, unsigned Size,
                          std::optional<uint64_t> DataEA,
                          SmallVectorImpl<Result> &Out) const {
  Form F{uint32_t(Opcode)};
  uint32_t Prefix = uint32_t(Opcode >> 32);
  if (Prefix) {
    // pli, paddi, pla: prefix of type MLS.
    if ((Prefix >> 24 & 3) == 2 && F.major() == 14) {
      int64_t SI = SignExtend64<34>(uint64_t(Prefix & 0x3ffff) << 16 | F.ui());
      bool PCRelative = Prefix >> 20 & 1;
      std::optional<uint64_t> Base = PCRelative ? std::optional(PC)
                                     : F.ra()   ? get(F.ra())
                                                : std::optional<uint64_t>(0);
      if (Base)
        Out.push_back({F.rt(), *Base + uint64_t(SI)});
    }
    return;
  }
  if (std::optional<unsigned> Base = updatedBase(F); Base && DataEA)
    Out.push_back({*Base, *DataEA});
  switch (F.major()) {
  case 14: // addi
  case 15: // addis
  {
    uint64_t SI = uint64_t(F.si()) << (F.major() == 15 ? 16 : 0);
    if (!F.ra())
      Out.push_back({F.rt(), SI});
    else if (std::optional<uint64_t> A = get(F.ra()))
      Out.push_back({F.rt(), *A + SI});
    return;
  }
  case 24: // ori
  case 25: // oris
    if (std::optional<uint64_t> S = get(F.rt()))
      Out.push_back({F.ra(), *S | F.ui() << (F.major() == 25 ? 16 : 0)});
    return;
  case 30: // rldicr, rldicl
    if (std::optional<uint64_t> S = get(F.rt())) {
      unsigned SH = F.rb() | (F.Op >> 1 & 1) << 5;
      unsigned MB = (F.Op >> 6 & 31) | (F.Op >> 5 & 1) << 5;
      uint64_t R = rotl(*S, int(SH));
      switch (F.Op >> 2 & 7) {
      case 0:
        Out.push_back({F.ra(), R & (~uint64_t(0) >> MB)});
        return;
      case 1:
        Out.push_back({F.ra(), R & (~uint64_t(0) << (63 - MB))});
        return;
      }
    }
    return;
  case 16: // bc: CTR counts down unless BO says not to
  case 18:
  case 19: {
    if (F.major() == 19) {
      if ((F.Op >> 1 & 31) == 2) { // addpcis
        int64_t D = SignExtend64<16>((F.Op & 0xffc0) | (F.Op >> 15 & 0x3e) |
                                     (F.Op & 1));
        Out.push_back({F.rt(), PC + 4 + (uint64_t(D) << 16)});
        return;
      }
      if (F.xo() != 16 && F.xo() != 528 && F.xo() != 560)
        return;
    }
    if (F.Op & 1)
      Out.push_back({ppc::LR, PC + Size});
    if (F.major() != 18 && !(F.rt() & 4) && !(F.major() == 19 && F.xo() == 528))
      if (std::optional<uint64_t> C = get(ppc::CTR))
        Out.push_back({ppc::CTR, *C - 1});
    return;
  }
  case 31:
    break;
  default:
    return;
  }
  switch (F.xo()) {
  case 444: // or: mr
    if (std::optional<uint64_t> S = get(F.rt()))
      if (std::optional<uint64_t> B = get(F.rb()))
        Out.push_back({F.ra(), *S | *B});
    return;
  case 266: // add
    if (std::optional<uint64_t> A = get(F.ra()))
      if (std::optional<uint64_t> B = get(F.rb()))
        Out.push_back({F.rt(), *A + *B});
    return;
  case 467: // mtspr
    if (F.spr() == SprLR || F.spr() == SprCTR)
      if (std::optional<uint64_t> S = get(F.rt()))
        Out.push_back({F.spr() == SprLR ? LaneLR : LaneCTR, *S});
    return;
  case 339: // mfspr
    if (F.spr() == SprLR || F.spr() == SprCTR)
      if (std::optional<uint64_t> S = get(F.spr() == SprLR ? LaneLR : LaneCTR))
        Out.push_back({F.rt(), *S});
    return;
  }
}

void PPCInference::instruction(uint64_t PC, uint64_t Opcode, unsigned Size,
                               std::optional<uint64_t> DataEA,
                               std::vector<RegItem> &Out) {
  ArrayRef<LaneBytes> Writes = Operands.writes(Opcode);
  if (Writes.empty())
    return;
  SmallVector<Result, 2> Results;
  derive(PC, Opcode, Size, DataEA, Results);
  for (LaneBytes W : Writes) {
    RegItem R;
    R.Lane = W.Lane;
    R.Written = W.Mask;
    R.Unknown = W.Mask;
    if (W.Lane < NumLanes) {
      Known &= ~(uint64_t(1) << W.Lane);
      for (const Result &D : Results) {
        if (D.Lane != W.Lane)
          continue;
        Known |= uint64_t(1) << W.Lane;
        Value[W.Lane] = R.Value = D.Value;
        R.Unknown = 0;
      }
    }
    Out.push_back(R);
  }
}

void PPCInference::forget(std::vector<RegItem> &Out) {
  for (unsigned Lane = 0; Lane < NumLanes; ++Lane)
    if (Known >> Lane & 1) {
      RegItem R;
      R.Lane = uint16_t(Lane);
      R.Written = R.Unknown = 0xff;
      Out.push_back(R);
    }
  Known = 0;
}

} // namespace rw
