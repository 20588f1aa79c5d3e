//===- RegisterNames.cpp - What Tarmac calls registers --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/RegisterNames.h"
#include "core/arch/RegisterFile.h"
#include "llvm/ADT/StringSwitch.h"

namespace rw::tarmac {

static constexpr llvm::StringLiteral BankNames[NumBanks] = {
    "SP_EL0",  "SP_EL1", "SP_EL2", "SP_EL3",  "SP_USR",  "SP_FIQ",
    "SP_IRQ",  "SP_SVC", "SP_ABT", "SP_UND",  "SP_MON",  "SP_HYP",
    "LR_USR",  "LR_FIQ", "LR_IRQ", "LR_SVC",  "LR_ABT",  "LR_UND",
    "LR_MON",  "LR_HYP", "MSP",    "MSP_S",   "MSP_NS",  "PSP",
    "PSP_S",   "PSP_NS", "R8_USR", "R9_USR",  "R10_USR", "R11_USR",
    "R12_USR", "R8_FIQ", "R9_FIQ", "R10_FIQ", "R11_FIQ", "R12_FIQ"};

llvm::StringRef bankName(unsigned Bank) { return BankNames[Bank]; }

unsigned bankSize(unsigned Bank) { return Bank <= SP_EL3 ? 8 : 4; }

uint16_t bankCurrentLane(unsigned Bank) {
  if (Bank <= SP_EL3)
    return arm::SP;
  if (Bank >= R8_FIQ)
    return uint16_t(arm::X0 + 8 + Bank - R8_FIQ);
  if (Bank >= R8_USR)
    return uint16_t(arm::X0 + 8 + Bank - R8_USR);
  return Bank >= LR_USR && Bank <= LR_HYP ? arm::R14 : arm::R13;
}

uint64_t banksOfLane(uint16_t Lane) {
  uint64_t Banks = 0;
  for (unsigned I = 0; I < NumBanks; ++I)
    if (bankCurrentLane(I) == Lane)
      Banks |= uint64_t(1) << I;
  return Banks;
}

Mode parseMode(llvm::StringRef Text) {
  auto [Head, Security] = Text.split('_');
  bool S = Security.equals_insensitive("s");
  bool NS =
      Security.equals_insensitive("ns") || Security.equals_insensitive("n");
  auto M = [&](Mode Plain, Mode Secure, Mode NonSecure) {
    return S ? Secure : NS ? NonSecure : Plain;
  };
  return llvm::StringSwitch<Mode>(Head.lower())
      .Case("el0t", Mode::EL0t)
      .Case("el1t", Mode::EL1t)
      .Case("el1h", Mode::EL1h)
      .Case("el2t", Mode::EL2t)
      .Case("el2h", Mode::EL2h)
      .Case("el3t", Mode::EL3t)
      .Case("el3h", Mode::EL3h)
      .Cases({"usr", "sys"}, Mode::Usr)
      .Case("fiq", Mode::Fiq)
      .Case("irq", Mode::Irq)
      .Case("svc", Mode::Svc)
      .Case("abt", Mode::Abt)
      .Case("und", Mode::Und)
      .Case("mon", Mode::Mon)
      .Case("hyp", Mode::Hyp)
      .Cases({"thread", "thrd"}, M(Mode::Thread, Mode::ThreadS, Mode::ThreadNS))
      .Cases({"handler", "hndl", "hdlr"},
             M(Mode::Handler, Mode::HandlerS, Mode::HandlerNS))
      .Default(Mode::Unknown);
}

Selection selectionOf(Mode M) {
  Selection S;
  switch (M) {
  case Mode::Unknown:
    break;
  case Mode::EL0t:
  case Mode::EL1t:
  case Mode::EL2t:
  case Mode::EL3t:
    S.SP64 = SP_EL0;
    break;
  case Mode::EL1h:
    S.SP64 = SP_EL1;
    break;
  case Mode::EL2h:
    S.SP64 = SP_EL2;
    break;
  case Mode::EL3h:
    S.SP64 = SP_EL3;
    break;
  case Mode::Usr:
  case Mode::Fiq:
  case Mode::Irq:
  case Mode::Svc:
  case Mode::Abt:
  case Mode::Und:
  case Mode::Mon:
  case Mode::Hyp: {
    unsigned Index = unsigned(M) - unsigned(Mode::Usr);
    S.SP32 = uint8_t(SP_USR + Index);
    // Hyp mode uses the user mode's lr.
    S.LR32 = uint8_t(M == Mode::Hyp ? LR_USR + 0 : LR_USR + Index);
    S.R8 = M == Mode::Fiq ? R8_FIQ : R8_USR;
    break;
  }
  case Mode::Handler:
    S.SP32 = MSP;
    break;
  case Mode::HandlerS:
    S.SP32 = MSP_S;
    break;
  case Mode::HandlerNS:
    S.SP32 = MSP_NS;
    break;
  case Mode::Thread:
  case Mode::ThreadS:
  case Mode::ThreadNS:
    break; // msp or psp: CONTROL.SPSEL decides
  }
  return S;
}

bool isSelected(unsigned Bank, Mode M) {
  if (M == Mode::Unknown)
    return true;
  Selection S = selectionOf(M);
  if (Bank <= SP_EL3)
    return Bank == S.SP64;
  if (Bank <= SP_HYP)
    return Bank == S.SP32;
  if (Bank <= LR_HYP)
    return Bank == S.LR32;
  if (Bank <= PSP_NS) {
    switch (M) {
    case Mode::Thread:
      return true;
    case Mode::ThreadS:
      return Bank != MSP_NS && Bank != PSP_NS;
    case Mode::ThreadNS:
      return Bank != MSP_S && Bank != PSP_S;
    case Mode::HandlerS:
      return Bank == MSP_S || Bank == MSP;
    case Mode::HandlerNS:
      return Bank == MSP_NS || Bank == MSP;
    case Mode::Handler:
      return Bank <= MSP_NS;
    default:
      return false;
    }
  }
  return Bank >= R8_FIQ ? S.R8 == R8_FIQ : S.R8 == R8_USR;
}

/// The number in a name such as "x12" behind its first letter; -1 if it is no
/// plain number below \p Limit.
static int numberIn(llvm::StringRef Digits, unsigned Limit) {
  unsigned N;
  if (Digits.empty() || Digits.size() > 2 || Digits.getAsInteger(10, N) ||
      N >= Limit || (Digits.size() == 2 && Digits[0] == '0'))
    return -1;
  return int(N);
}

/// The bank of stack pointer, link register or r8..r12 that \p Text names.
static uint8_t bankOf(int Number, llvm::StringRef Text) {
  // FM's M-profile names: r13_main_s is MSP_S.
  uint8_t Stack = llvm::StringSwitch<uint8_t>(Text)
                      .Cases({"main", "msp"}, MSP)
                      .Cases({"main_s", "msp_s"}, MSP_S)
                      .Cases({"main_ns", "msp_ns"}, MSP_NS)
                      .Cases({"process", "psp"}, PSP)
                      .Cases({"process_s", "psp_s"}, PSP_S)
                      .Cases({"process_ns", "psp_ns"}, PSP_NS)
                      .Default(NoBank);
  if (Stack != NoBank)
    return Number == 13 ? Stack : uint8_t(NoBank);
  int Index = llvm::StringSwitch<int>(Text)
                  .Cases({"usr", "sys"}, 0)
                  .Case("fiq", 1)
                  .Case("irq", 2)
                  .Case("svc", 3)
                  .Case("abt", 4)
                  .Case("und", 5)
                  .Case("mon", 6)
                  .Case("hyp", 7)
                  .Default(-1);
  if (Index < 0)
    return NoBank;
  if (Number == 13)
    return uint8_t(SP_USR + Index);
  if (Number == 14)
    return uint8_t(LR_USR + Index);
  return Index == 1 ? uint8_t(R8_FIQ + Number - 8)
                    : uint8_t(R8_USR + Number - 8);
}

static RegDesc named() { return {}; }

RegDesc classifyRegister(llvm::StringRef NameText, llvm::StringRef BankText) {
  std::string Lower = NameText.lower();
  llvm::StringRef Name = Lower;
  std::string BankLower = BankText.lower();
  llvm::StringRef Bank = BankLower;

  using K = RegKind;
  RegDesc Fixed = llvm::StringSwitch<RegDesc>(Name)
                      .Cases({"cpsr", "psr", "xpsr"}, {K::Cpsr, arm::CPSR, 0})
                      .Case("fpsr", {K::Status, arm::FPSR, 8})
                      .Case("fpcr", {K::Status, arm::FPCR, 8})
                      .Case("fpscr", {K::Status, arm::FPSCR, 8})
                      .Case("vpr", {K::Status, arm::VPR, 8})
                      .Case("xsp", {K::X, arm::SP, 16})
                      .Case("wsp", {K::W, arm::SP, 8})
                      .Cases({"pc", "r15"}, {K::PC, 0, 0})
                      .Cases({"dc", "ic", "tlbi", "at"}, {K::Operation, 0, 0})
                      .Cases({"cfp", "dvp", "cpp", "brb"}, {K::Operation, 0, 0})
                      .Default({K::Named, 1, 0});
  if (Fixed.Num != 1 || Fixed.Kind != K::Named)
    return Fixed;

  if (Name == "msp" || Name == "psp" || Name.starts_with("msp_") ||
      Name.starts_with("psp_")) {
    uint8_t B = bankOf(13, Name);
    return B == NoBank ? named() : RegDesc{K::Banked, B, 8};
  }

  // A core register, perhaps with a bank behind "_" or in parentheses.
  auto [Core, Suffix] = Name.split('_');
  if (Suffix.empty())
    Suffix = Bank;
  if (Core == "sp" && Suffix.starts_with("el")) {
    int EL = numberIn(Suffix.drop_front(2), 4);
    return EL < 0 ? named() : RegDesc{K::Banked, uint8_t(SP_EL0 + EL), 16};
  }
  int Number = -1;
  bool ByWord = Core == "sp" || Core == "lr";
  if (ByWord)
    Number = Core == "sp" ? 13 : 14;
  else if (Core.starts_with("r"))
    Number = numberIn(Core.drop_front(), 15);
  if (Number >= 0) {
    if (Number >= 8 && !Suffix.empty()) {
      uint8_t B = bankOf(Number, Suffix);
      if (B != NoBank)
        return {K::Banked, B, 8};
      // "elr_..." and the like are named; an unknown word in parentheses says
      // nothing about the bank.
      if (Bank.empty())
        return named();
    }
    if (ByWord)
      return {Number == 13 ? K::SP : K::LR, 0, 0};
    if (Number >= 13)
      return {K::R, uint8_t(Number == 13 ? arm::R13 : arm::R14), 8};
    return {K::R, uint8_t(Number), 8};
  }

  if (Name.size() < 2)
    return named();
  int N = numberIn(Name.drop_front(), 32);
  if (N < 0)
    return named();
  switch (Name[0]) {
  case 'x':
  case 'e':
    return N <= 30 ? RegDesc{K::X, uint8_t(N), 16} : named();
  case 'w':
    return N <= 30 ? RegDesc{K::W, uint8_t(N), 8} : named();
  case 's':
    return {K::S, uint8_t(N), 8};
  case 'd':
    return {K::D, uint8_t(N), 16};
  case 'v':
  case 'q':
    return {K::V, uint8_t(N), 32};
  case 'z':
    return {K::Z, uint8_t(N), 0};
  case 'p':
    return {K::P, uint8_t(N), 0};
  default:
    return named();
  }
}

} // namespace rw::tarmac
