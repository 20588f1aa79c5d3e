//===- RegisterNames.h - What Tarmac calls registers ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_REGISTERNAMES_H
#define REWIND_FORMATS_TARMAC_REGISTERNAMES_H

#include "core/model/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace rw::tarmac {

/// A banked register: one of several that take turns as the current sp, lr or
/// r8..r12 as the CPU's mode says.
enum Bank : uint8_t {
  SP_EL0,
  SP_EL1,
  SP_EL2,
  SP_EL3,
  SP_USR,
  SP_FIQ,
  SP_IRQ,
  SP_SVC,
  SP_ABT,
  SP_UND,
  SP_MON,
  SP_HYP,
  LR_USR,
  LR_FIQ,
  LR_IRQ,
  LR_SVC,
  LR_ABT,
  LR_UND,
  LR_MON,
  LR_HYP,
  MSP,
  MSP_S,
  MSP_NS,
  PSP,
  PSP_S,
  PSP_NS,
  R8_USR,
  R9_USR,
  R10_USR,
  R11_USR,
  R12_USR,
  R8_FIQ,
  R9_FIQ,
  R10_FIQ,
  R11_FIQ,
  R12_FIQ,
  NumBanks,
  NoBank = 0xff
};
/// The name of the register that holds the bank, and of its storage.
llvm::StringRef bankName(unsigned Bank);
/// The lane where the bank appears while it is selected.
uint16_t bankCurrentLane(unsigned Bank);
/// The set of banks that take turns in \p Lane, as bits.
uint64_t banksOfLane(uint16_t Lane);
/// Its size in bytes: 8 for AArch64's stack pointers, else 4.
unsigned bankSize(unsigned Bank);

/// The mode of a CPU as far as it selects banks.
enum class Mode : uint8_t {
  Unknown, ///< not in the trace, or not understood
  EL0t,
  EL1t,
  EL1h,
  EL2t,
  EL2h,
  EL3t,
  EL3h,
  Usr,
  Fiq,
  Irq,
  Svc,
  Abt,
  Und,
  Mon,
  Hyp,
  Thread,
  Handler,
  ThreadS,
  HandlerS,
  ThreadNS,
  HandlerNS,
};
/// Reads "EL3h_s", "svc_s", "el0t_ns", "thrd_s"...
Mode parseMode(llvm::StringRef Text);

/// What a mode selects.
struct Selection {
  uint8_t SP64 = NoBank; ///< for lane arm::SP
  uint8_t SP32 = NoBank; ///< for lane arm::R13
  uint8_t LR32 = NoBank; ///< for lane arm::R14
  uint8_t R8 = NoBank;   ///< R8_USR or R8_FIQ, for r8..r12
};
Selection selectionOf(Mode M);
/// Whether \p Bank is what \p M selects. With an unknown mode, and for a stack
/// pointer of an M-profile thread (which may be either), it is taken to be.
bool isSelected(unsigned Bank, Mode M);

enum class RegKind : uint8_t {
  X, ///< 64-bit, into lane Num
  W, ///< 32-bit, zero-extended into lane Num
  R, ///< 32-bit, low half of lane Num
  S,
  D, ///< depends on the instruction set
  V, ///< 128-bit
  Z, ///< 128 to 2048 bits
  P, ///< 16 to 256 bits
  SP,
  LR,     ///< 8 or 16 digits tell which one
  Banked, ///< Num is the Bank
  Cpsr,   ///< elastic
  Status, ///< fpsr, fpcr, fpscr, vpr: 32 bits in lane Num
  PC,
  Operation, ///< DC, IC, TLBI, AT: not a register
  Named,
};

struct RegDesc {
  RegKind Kind = RegKind::Named;
  uint8_t Num = 0;
  uint8_t Digits = 0; ///< of a full value; 0: several are possible
};

/// Classifies a register by its name and the bank in parentheses after it (may
/// be empty). "R13_svc" and "R13" with bank "SVC" are the same.
RegDesc classifyRegister(llvm::StringRef Name, llvm::StringRef BankText);

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_REGISTERNAMES_H
