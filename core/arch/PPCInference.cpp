//===- PPCInference.cpp - Register values that code implies ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCInference.h"
#include "core/arch/RegisterFile.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {

namespace {
using Implies = PPCFacts::Implies;
constexpr unsigned SprLR = 8, SprCTR = 9;

struct Form {
  uint32_t Op;
  unsigned major() const { return Op >> 26; }
  uint8_t rt() const { return Op >> 21 & 31; }
  uint8_t ra() const { return Op >> 16 & 31; }
  uint8_t rb() const { return Op >> 11 & 31; }
  unsigned xo() const { return Op >> 1 & 0x3ff; }
  int16_t si() const { return int16_t(Op); }
  uint16_t ui() const { return uint16_t(Op); }
  unsigned spr() const { return (Op >> 16 & 31) | (Op >> 11 & 31) << 5; }
};

std::optional<uint8_t> laneOfSpr(unsigned Spr) {
  if (Spr == SprLR)
    return ppc::LR;
  if (Spr == SprCTR)
    return ppc::CTR;
  return std::nullopt;
}

/// Loads and stores whose address is a register plus a constant, and those with
/// update, which leave their address in a register.
void addressing(PPCFacts &F, Form I) {
  auto base = [&](unsigned Clear) {
    if (I.ra()) {
      F.Base = I.ra();
      F.Displacement = int16_t(I.si() & ~Clear);
    }
  };
  switch (I.major()) {
  case 33: // lwzu and so on: D form with update
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
    F.Update = I.ra();
    return;
  case 32:
  case 34:
  case 36:
  case 38:
  case 40:
  case 42:
  case 44:
  case 46:
  case 47:
  case 48:
  case 50:
  case 52:
  case 54:
    base(0);
    return;
  case 57: // lxsd, lxssp
    if (I.Op & 2)
      base(3);
    return;
  case 58: // ld, ldu, lwa
  case 62: // std, stdu
    if ((I.Op & 3) == 1)
      F.Update = I.ra();
    else if ((I.Op & 3) == 0 || I.major() == 58)
      base(3);
    return;
  case 61: // lxv, stxv; stxsd, stxssp
    if ((I.Op & 3) == 1)
      base(15);
    else if (I.Op & 2)
      base(3);
    return;
  case 31:
    switch (I.xo()) {
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
      F.Update = I.ra();
    }
    return;
  }
}

void set(PPCFacts &F, Implies Kind, uint8_t Target, uint8_t A, uint8_t B,
         uint64_t Number) {
  F.Kind = Kind;
  F.Target = Target;
  F.A = A;
  F.B = B;
  F.Number = int64_t(Number);
}

void addImmediate(PPCFacts &F, Form I, uint64_t Number) {
  set(F, I.ra() ? Implies::AddNumber : Implies::Constant, I.rt(), I.ra(), 0,
      Number);
}

void branch(PPCFacts &F, Form I) {
  bool ToRegister = I.major() == 19;
  bool ToCTR = ToRegister && I.xo() == 528;
  bool Links = I.Op & 1;
  bool Counts = I.major() != 18 && !(I.rt() & 4) && !ToCTR;
  F.Kind = Links && Counts ? Implies::LinkCount
           : Links         ? Implies::Link
           : Counts        ? Implies::Count
                           : Implies::Nothing;
  if (ToCTR)
    F.JumpsTo = ppc::CTR;
  else if (ToRegister && I.xo() == 16 && !Links)
    F.JumpsTo = ppc::LR;
}

void prefixed(PPCFacts &F, Form I, uint32_t Prefix) {
  // pli, paddi, pla: prefix of type MLS.
  if ((Prefix >> 24 & 3) != 2 || I.major() != 14)
    return;
  uint64_t SI =
      uint64_t(SignExtend64<34>(uint64_t(Prefix & 0x3ffff) << 16 | I.ui()));
  if (Prefix >> 20 & 1)
    set(F, Implies::PCRelative, I.rt(), 0, 0, SI);
  else
    addImmediate(F, I, SI);
}

void meaning(PPCFacts &F, Form I) {
  switch (I.major()) {
  case 14:
    addImmediate(F, I, uint64_t(int64_t(I.si())));
    return;
  case 15:
    addImmediate(F, I, uint64_t(int64_t(I.si())) << 16);
    return;
  case 24: // ori
  case 25: // oris
    set(F, Implies::OrNumber, I.ra(), I.rt(), 0,
        uint64_t(I.ui()) << (I.major() == 25 ? 16 : 0));
    return;
  case 30: { // rldicl, rldicr
    unsigned SH = I.rb() | (I.Op >> 1 & 1) << 5;
    unsigned MB = (I.Op >> 6 & 31) | (I.Op >> 5 & 1) << 5;
    unsigned XO = I.Op >> 2 & 7;
    if (XO < 2)
      set(F, Implies::Rotated, I.ra(), I.rt(), uint8_t(SH),
          XO ? ~uint64_t(0) << (63 - MB) : ~uint64_t(0) >> MB);
    return;
  }
  case 16:
  case 18:
    branch(F, I);
    return;
  case 19:
    if ((I.Op >> 1 & 31) == 2) { // addpcis
      int64_t D =
          SignExtend64<16>((I.Op & 0xffc0) | (I.Op >> 15 & 0x3e) | (I.Op & 1));
      set(F, Implies::PCRelative, I.rt(), 0, 0, 4 + (uint64_t(D) << 16));
    } else if (I.xo() == 16 || I.xo() == 528 || I.xo() == 560) {
      branch(F, I);
    }
    return;
  case 31:
    switch (I.xo()) {
    case 444: // or: mr
      set(F, Implies::Union, I.ra(), I.rt(), I.rb(), 0);
      return;
    case 266: // add
      set(F, Implies::Sum, I.rt(), I.ra(), I.rb(), 0);
      return;
    case 467: // mtspr
      if (auto Lane = laneOfSpr(I.spr()))
        set(F, Implies::Copy, *Lane, I.rt(), 0, 0);
      return;
    case 339: // mfspr
      if (auto Lane = laneOfSpr(I.spr()))
        set(F, Implies::Copy, I.rt(), *Lane, 0, 0);
      return;
    }
    return;
  }
}
} // namespace

void PPCInference::learn(PPCFacts &F, uint64_t Opcode) {
  F = PPCFacts();
  F.Opcode = Opcode;
  F.Valid = true;
  Form I{uint32_t(Opcode)};
  uint32_t Prefix = uint32_t(Opcode >> 32);
  F.Class = classify(ISA::PPC64, Opcode);
  F.Memory = ppc::memoryKind(Prefix, I.Op);
  F.WritesMore = Operands.mayWriteMore(Opcode);
  ArrayRef<LaneBytes> Writes = Operands.writes(Opcode);
  if (Writes.size() <= PPCFacts::MaxWrites && !F.WritesMore) {
    F.NumWrites = uint8_t(Writes.size());
    std::copy(Writes.begin(), Writes.end(), F.Writes);
  } else {
    F.NumWrites = PPCFacts::None;
  }
  if (Prefix) {
    prefixed(F, I, Prefix);
    return;
  }
  meaning(F, I);
  if (isVectoredCall(Opcode))
    F.Kind = Implies::Link;
  if (!F.Memory.accesses())
    return;
  addressing(F, I);
  // A load may overwrite its base.
  for (LaneBytes W : Writes)
    if (W.Lane == F.Base)
      F.Base = PPCFacts::None;
}

/// What becomes of F.Target, which is the step recorded for it.
std::optional<uint64_t> PPCInference::implied(const PPCFacts &F, uint64_t PC) {
  using Kind = PPCPlan::Kind;
  auto number = uint64_t(F.Number);
  // Both are looked at, so that what was consulted does not depend on A.
  auto haveBoth = [&] { return int(consult(F.A)) & int(consult(F.B)); };
  switch (F.Kind) {
  case Implies::Constant:
    plan(Kind::Constant, F.Target, number);
    return number;
  case Implies::PCRelative:
    plan(Kind::Constant, F.Target, PC + number);
    return PC + number;
  case Implies::AddNumber:
    if (!consult(F.A))
      break;
    plan(Kind::Add, F.Target, number, F.A);
    return Value[F.A] + number;
  case Implies::OrNumber:
    if (!consult(F.A))
      break;
    plan(Kind::Or, F.Target, number, F.A);
    return Value[F.A] | number;
  case Implies::Rotated:
    if (!consult(F.A))
      break;
    plan(Kind::Rotate, F.Target, number, F.A, F.B);
    return rotl(Value[F.A], int(F.B)) & number;
  case Implies::Sum:
    if (!haveBoth())
      break;
    plan(Kind::Sum, F.Target, 0, F.A, F.B);
    return Value[F.A] + Value[F.B];
  case Implies::Union:
    if (!haveBoth())
      break;
    plan(Kind::Union, F.Target, 0, F.A, F.B);
    return Value[F.A] | Value[F.B];
  case Implies::Copy:
    if (!consult(F.A))
      break;
    plan(Kind::Add, F.Target, 0, F.A);
    return Value[F.A];
  case Implies::Nothing:
  case Implies::Link:
  case Implies::Count:
  case Implies::LinkCount:
    break;
  }
  return std::nullopt;
}

void PPCInference::writes(const PPCFacts &F, uint64_t PC, unsigned Size,
                          const uint64_t *DataEA, std::vector<RegItem> &Out) {
  using Kind = PPCPlan::Kind;
  ArrayRef<LaneBytes> Writes(F.Writes, F.NumWrites);
  if (F.NumWrites == PPCFacts::None)
    Writes = Operands.writes(F.Opcode);
  for (LaneBytes W : Writes) {
    std::optional<uint64_t> V;
    if (W.Lane < NumLanes) {
      // What is implied depends on the registers before, but nothing of this
      // kind writes any other of them first.
      if (W.Lane == F.Target) {
        V = implied(F, PC);
      } else if (W.Lane == F.Update && DataEA) {
        V = *DataEA;
        plan(Kind::Address, W.Lane, 0, Address);
      } else if (W.Lane == ppc::LR &&
                 (F.Kind == Implies::Link || F.Kind == Implies::LinkCount)) {
        V = PC + Size;
        plan(Kind::Constant, W.Lane, *V);
      } else if (W.Lane == ppc::CTR &&
                 (F.Kind == Implies::Count || F.Kind == Implies::LinkCount) &&
                 consult(ppc::CTR)) {
        V = Value[ppc::CTR] - 1;
        plan(Kind::Add, W.Lane, ~uint64_t(0), ppc::CTR);
      }
      if (V)
        become(W.Lane, *V);
      else
        lose(W.Lane);
    }
    RegItem &R = Out.emplace_back();
    R.Lane = W.Lane;
    R.Written = W.Mask;
    if (V) {
      R.Value = *V;
      R.Flags = RegItem::Inferred;
    } else {
      R.Unknown = W.Mask;
    }
  }
  if (F.WritesMore)
    loseAll(Out);
}

/// As forget(), but what a plan does then depends on all registers.
void PPCInference::loseAll(std::vector<RegItem> &Out) {
  for (unsigned Lane = 0; Lane < NumLanes; ++Lane) {
    if (consult(Lane))
      Out.push_back({0, uint16_t(Lane), 0xff, 0xff, 0, RegItem::NotWritten});
    lose(Lane);
  }
}

bool PPCInference::isKeptBySystemCall(unsigned Lane, bool Vectored) {
  return Lane == 1 || Lane == 2 || (Lane >= 13 && Lane < 32) ||
         (Lane == ppc::LR && !Vectored);
}

void PPCInference::systemCall(bool Vectored, std::vector<RegItem> &Out) {
  constexpr unsigned Result = 3;
  for (unsigned Lane = 0; Lane < NumLanes; ++Lane) {
    if (isKeptBySystemCall(Lane, Vectored))
      continue;
    if (Lane == Result)
      Out.push_back({0, Result, 0xff, 0xff, 0, 0});
    else if (consult(Lane))
      Out.push_back({0, uint16_t(Lane), 0xff, 0xff, 0, RegItem::NotWritten});
    lose(Lane);
  }
}

void PPCInference::forget(std::vector<RegItem> &Out) {
  for (unsigned Lane = 0; Lane < NumLanes; ++Lane)
    if (known(Lane))
      Out.push_back({0, uint16_t(Lane), 0xff, 0xff, 0, RegItem::NotWritten});
  Known = 0;
}

} // namespace rw
