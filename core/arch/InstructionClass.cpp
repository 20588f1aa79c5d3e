//===- InstructionClass.cpp - Calls, returns, branches --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/InstructionClass.h"
#include "llvm/Support/Endian.h"

namespace rw {
namespace {

InsnClass classifyA64(uint32_t Op) {
  // Branches, exception generating and system instructions all have
  // op0 = x101 in bits 28:25 (Arm ARM, C4.1).
  if ((Op & 0x1c000000) != 0x14000000)
    return InsnClass::None;
  if ((Op & 0x7c000000) == 0x14000000)
    return Op >> 31 ? InsnClass::Call : InsnClass::Branch;
  if ((Op & 0x7e000000) == 0x34000000 || (Op & 0x7e000000) == 0x36000000)
    return InsnClass::CondBranch; // cbz, cbnz, tbz, tbnz
  if ((Op & 0xff000000) == 0x54000000)
    return InsnClass::CondBranch; // b.cond, bc.cond
  if ((Op & 0xff000000) == 0xd4000000) {
    uint32_t Low = Op & 0x00e0001f;
    return Low == 1 || Low == 2 || Low == 3 ? InsnClass::SystemCall
                                            : InsnClass::None;
  }
  if ((Op & 0xfe000000) != 0xd6000000)
    return InsnClass::None;
  // opc in bits 24:21; bit 24 marks the two-operand pointer-authenticated
  // forms (braa, blraa).
  switch ((Op >> 21) & 7) {
  case 0:
    return InsnClass::IndirectBranch;
  case 1:
    return InsnClass::IndirectCall;
  case 2:
    return InsnClass::Return;
  case 4:
    return InsnClass::ExceptionReturn;
  default:
    return InsnClass::None;
  }
}

InsnClass classifyA32(uint32_t Op) {
  uint32_t Cond = Op >> 28;
  if (Cond == 0xf) {
    if ((Op & 0xfe000000) == 0xfa000000)
      return InsnClass::Call; // blx immediate
    if ((Op & 0xfe50ffff) == 0xf8100a00)
      return InsnClass::ExceptionReturn; // rfe
    return InsnClass::None;
  }
  switch ((Op >> 24) & 0xf) {
  case 0xa:
    return Cond == 0xe ? InsnClass::Branch : InsnClass::CondBranch;
  case 0xb:
    return InsnClass::Call;
  case 0xf:
    return InsnClass::SystemCall;
  default:
    break;
  }
  if ((Op & 0x0ffffff0) == 0x012fff30)
    return InsnClass::IndirectCall;    // blx register
  if ((Op & 0x0fffffd0) == 0x012fff10) // bx, bxj
    return (Op & 0xf) == 14 ? InsnClass::Return : InsnClass::IndirectBranch;
  if ((Op & 0x0fffffff) == 0x0160006e)
    return InsnClass::ExceptionReturn; // eret
  if ((Op & 0x0fd000f0) == 0x01400070)
    return InsnClass::SystemCall;        // hvc, smc
  if ((Op & 0x0e108000) == 0x08108000) { // ldm with pc
    if (Op & (1u << 22))
      return InsnClass::ExceptionReturn;
    uint32_t Rn = (Op >> 16) & 0xf;
    // ldm from sp is pop; from r11 the frame of the older calling standard.
    return Rn == 13 || Rn == 11 ? InsnClass::Return : InsnClass::IndirectBranch;
  }
  if ((Op & 0x0c10f000) == 0x0410f000 && (Op & 0x02000010) != 0x02000010)
    return (Op & 0x0fffffff) == 0x049df004 ? InsnClass::Return
                                           : InsnClass::IndirectBranch;
  // Data processing into pc, except the compares, which have no destination
  // (and whose space holds other things).
  bool DataProcessing = (Op & 0x0c000000) == 0 &&
                        ((Op & 0x02000000) || (Op & 0x90) != 0x90) &&
                        (Op & 0x01900000) != 0x01000000;
  if (DataProcessing && (Op & 0xf000) == 0xf000) {
    bool SetsFlags = Op & (1u << 20);
    uint32_t Opc = (Op >> 21) & 0xf;
    if (Opc >= 8 && Opc <= 11)
      return InsnClass::None; // tst, teq, cmp, cmn
    if (SetsFlags)
      return InsnClass::ExceptionReturn; // subs pc, lr, #n; movs pc, lr
    return (Op & 0x0fffffff) == 0x01a0f00e ? InsnClass::Return
                                           : InsnClass::IndirectBranch;
  }
  return InsnClass::None;
}

InsnClass classifyT16(uint32_t Op) {
  if ((Op & 0xff80) == 0x4780)
    return InsnClass::IndirectCall; // blx, blxns
  if ((Op & 0xff80) == 0x4700 || (Op & 0xff87) == 0x4687)
    // bx, bxns; mov pc
    return ((Op >> 3) & 0xf) == 14 ? InsnClass::Return
                                   : InsnClass::IndirectBranch;
  if ((Op & 0xff00) == 0xbd00)
    return InsnClass::Return; // pop {.., pc}
  if ((Op & 0xf800) == 0xe000)
    return InsnClass::Branch;
  if ((Op & 0xf000) == 0xd000) {
    uint32_t Cond = (Op >> 8) & 0xf;
    return Cond < 14    ? InsnClass::CondBranch
           : Cond == 15 ? InsnClass::SystemCall
                        : InsnClass::None;
  }
  if ((Op & 0xf500) == 0xb100)
    return InsnClass::CondBranch; // cbz, cbnz
  if ((Op & 0xff87) == 0x4487)
    return InsnClass::IndirectBranch; // add pc, rm
  return InsnClass::None;
}

InsnClass classifyT32(uint32_t Op) {
  uint32_t Hi = Op >> 16, Lo = Op & 0xffff;
  if ((Hi & 0xf800) == 0xf000 && (Lo & 0x8000)) {
    if ((Lo & 0xd000) == 0xd000 || (Lo & 0xd001) == 0xc000)
      return InsnClass::Call;
    if ((Lo & 0xd000) == 0x9000)
      return InsnClass::Branch;
    if ((Hi & 0xffff) == 0xf3de && (Lo & 0xff00) == 0x8f00)
      return InsnClass::ExceptionReturn; // subs pc, lr, #n; eret
    if ((Lo & 0xd000) == 0x8000) {
      if ((Hi & 0x0380) != 0x0380)
        return InsnClass::CondBranch;
      if ((Hi & 0xfff0) == 0xf7f0 || (Hi & 0xfff0) == 0xf7e0)
        return (Lo & 0xf000) == 0x8000 ? InsnClass::SystemCall
                                       : InsnClass::None; // smc, hvc
    }
    return InsnClass::None;
  }
  if ((Hi & 0xffd0) == 0xe810 || (Hi & 0xffd0) == 0xe990)
    return InsnClass::ExceptionReturn; // rfe
  if (((Hi & 0xffd0) == 0xe890 || (Hi & 0xffd0) == 0xe910) && (Lo & 0x8000)) {
    uint32_t Rn = Hi & 0xf;
    return Rn == 13 || Rn == 7 || Rn == 11 ? InsnClass::Return
                                           : InsnClass::IndirectBranch;
  }
  if ((Hi & 0xfff0) == 0xe8d0 && (Lo & 0xffe0) == 0xf000)
    return InsnClass::IndirectBranch; // tbb, tbh
  if (((Hi & 0xfff0) == 0xf8d0 || (Hi & 0xff7f) == 0xf85f ||
       (Hi & 0xfff0) == 0xf850) &&
      (Lo & 0xf000) == 0xf000) // ldr pc
    return Op == 0xf85dfb04 ? InsnClass::Return : InsnClass::IndirectBranch;
  return InsnClass::None;
}

InsnClass classifyPPC(uint64_t Opcode) {
  if (Opcode >> 32)
    return InsnClass::None; // no prefixed instruction branches
  uint32_t Op = uint32_t(Opcode);
  bool LK = Op & 1;
  switch (Op >> 26) {
  case 18:
    return LK ? InsnClass::Call : InsnClass::Branch;
  case 16:
    // "bcl 20,31,$+4" is how position-independent code learns its address.
    if (Op == 0x429f0005)
      return InsnClass::CondBranch;
    return LK ? InsnClass::Call : InsnClass::CondBranch;
  case 17:
    return InsnClass::SystemCall;
  case 19:
    switch ((Op >> 1) & 0x3ff) {
    case 16: // bclr: LK first, a "bclrl" calls through lr
      if (LK)
        return InsnClass::IndirectCall;
      return (Op >> 11 & 3) == 0 ? InsnClass::Return
                                 : InsnClass::IndirectBranch;
    case 528: // bcctr
    case 560: // bctar
      return LK ? InsnClass::IndirectCall : InsnClass::IndirectBranch;
    case 18:  // rfid
    case 82:  // rfscv
    case 146: // rfebb
    case 274: // hrfid
    case 306: // urfid
      return InsnClass::ExceptionReturn;
    default:
      return InsnClass::None;
    }
  default:
    return InsnClass::None;
  }
}

} // namespace

InsnClass classify(ISA Isa, uint64_t Opcode) {
  switch (Isa) {
  case ISA::A64:
    return classifyA64(uint32_t(Opcode));
  case ISA::A32:
    return classifyA32(uint32_t(Opcode));
  case ISA::T32:
    return Opcode >> 16 ? classifyT32(uint32_t(Opcode))
                        : classifyT16(uint32_t(Opcode));
  case ISA::PPC64:
    return classifyPPC(Opcode);
  case ISA::X86_64: {
    uint8_t Bytes[8];
    llvm::support::endian::write64le(Bytes, Opcode);
    return classifyX86(Bytes);
  }
  case ISA::Unknown:
    return InsnClass::Unknown;
  }
  return InsnClass::Unknown;
}

bool callsNext(ISA Isa, uint64_t Opcode) {
  return (Isa == ISA::A64 && Opcode == 0x94000001) ||
         (Isa == ISA::A32 && Opcode == 0xebffffff);
}

bool jumpsToNext(ISA Isa, uint64_t Opcode) {
  switch (Isa) {
  case ISA::A64:
    return Opcode == 0x14000001;
  case ISA::A32:
    return Opcode == 0xeaffffff;
  case ISA::T32:
    return Opcode == 0xe7ff || Opcode == 0xf000b800;
  case ISA::PPC64:
    return Opcode == 0x48000004;
  case ISA::X86_64:
    return uint16_t(Opcode) == 0x00eb || (Opcode & 0xffffffffff) == 0xe9;
  case ISA::Unknown:
    return false;
  }
  return false;
}

bool isNop(ISA Isa, uint64_t Opcode) {
  switch (Isa) {
  case ISA::A64:
    return Opcode == 0xd503201f;
  case ISA::A32: // before Armv6: mov r0, r0
    return Opcode == 0xe320f000 || Opcode == 0xe1a00000;
  case ISA::T32:
    return Opcode == 0xbf00 || Opcode == 0x46c0;
  case ISA::PPC64:
    return Opcode == 0x60000000;
  case ISA::X86_64:
    return uint8_t(Opcode) == 0x90;
  case ISA::Unknown:
    return false;
  }
  return false;
}

bool isX86Prefix(uint8_t B) {
  return B == 0xf2 || B == 0xf3 || B == 0xf0 || B == 0x66 || B == 0x67 ||
         B == 0x2e || B == 0x36 || B == 0x3e || B == 0x26 || B == 0x64 ||
         B == 0x65 || (B & 0xf0) == 0x40;
}

InsnClass classifyX86(llvm::ArrayRef<uint8_t> B) {
  size_t I = 0;
  bool TwoByte = false;
  // REX counts for nothing but is allowed when another prefix follows it.
  while (I < B.size() && isX86Prefix(B[I]))
    ++I;
  if (I + 1 < B.size() && B[I] == 0xd5) { // REX2; its M0 stands for 0f
    TwoByte = B[I + 1] & 0x80;
    I += 2;
  }
  if (I < B.size() && !TwoByte && B[I] == 0x0f) {
    TwoByte = true;
    ++I;
  }
  if (I >= B.size())
    return InsnClass::Unknown;
  uint8_t Op = B[I];
  if (TwoByte) {
    if ((Op & 0xf0) == 0x80)
      return InsnClass::CondBranch;
    switch (Op) {
    case 0x05: // syscall
    case 0x34: // sysenter
      return InsnClass::SystemCall;
    case 0x07: // sysret
    case 0x35: // sysexit
      return InsnClass::ExceptionReturn;
    default:
      return InsnClass::None;
    }
  }
  if (Op >= 0x70 && Op <= 0x7f)
    return InsnClass::CondBranch;
  switch (Op) {
  case 0xe8:
    return InsnClass::Call;
  case 0xe9:
  case 0xeb:
    return InsnClass::Branch;
  case 0xe0:
  case 0xe1:
  case 0xe2:
  case 0xe3:
    return InsnClass::CondBranch; // loop*, jrcxz
  case 0xc2:
  case 0xc3:
  case 0xca:
  case 0xcb:
    return InsnClass::Return;
  case 0xcf:
    return InsnClass::ExceptionReturn;
  case 0xcc:
  case 0xcd:
    return InsnClass::SystemCall;
  case 0xff:
    if (I + 1 >= B.size())
      return InsnClass::Unknown;
    switch ((B[I + 1] >> 3) & 7) {
    case 2:
    case 3:
      return InsnClass::IndirectCall;
    case 4:
    case 5:
      return InsnClass::IndirectBranch;
    default:
      return InsnClass::None;
    }
  default:
    return InsnClass::None;
  }
}

} // namespace rw
