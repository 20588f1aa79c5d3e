//===- Encodings.cpp - Registers that an encoding can name ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scripts/recorder/Encodings.h"
#include <algorithm>

using namespace rw::record;

static uint32_t bits(uint32_t Word, unsigned Hi, unsigned Lo) {
  return (Word >> Lo) & ((1u << (Hi - Lo + 1)) - 1);
}

static bool matches(uint32_t Word, uint32_t Mask, uint32_t Value) {
  return (Word & Mask) == Value;
}

// Arm ARM, C4.1: bits 28:25 select the group.
RegMask rw::record::classifyA64(StaticInsn &I) {
  uint32_t W = I.Opcode, Group = bits(W, 28, 25);
  unsigned Rd = bits(W, 4, 0), Rn = bits(W, 9, 5);
  RegMask M;
  if ((Group & 0xe) == 0x8) { // data processing, immediate
    M.set(Rd).set(CPSR);
  } else if ((Group & 0xe) == 0xa) { // branches and system
    if (matches(W, 0xfe000000, 0xd6000000)) {
      I.Flags |= StaticInsn::Indirect;
      unsigned Opc = bits(W, 24, 21);
      if (Opc == 1 || Opc == 9) {
        I.Flags |= StaticInsn::Link;
        M.set(X30);
      }
    } else if (matches(W, 0xfc000000, 0x94000000)) {
      I.Flags |= StaticInsn::Link | StaticInsn::Jump;
      M.set(X30);
    } else if (matches(W, 0xfc000000, 0x14000000)) {
      I.Flags |= StaticInsn::Jump;
    } else if (matches(W, 0xff000000, 0x54000000) ||
               matches(W, 0x7c000000, 0x34000000)) {
      I.Flags |= StaticInsn::CondBranch64;
    } else if (matches(W, 0xff000000, 0xd4000000)) {
      M.set(X0); // SVC, HLT: a call's result
    } else if (matches(W, 0xffc00000, 0xd5000000)) {
      M.set(Rd).set(CPSR).set(FPSR).set(FPCR).set(TPIDR);
      M.set(X30).set(17); // pointer authentication in the hint space
      if (matches(W, 0xffffffe0, 0xd50b7420))
        I.Flags |= StaticInsn::ZeroBlock;
    }
  } else if ((Group & 0x5) == 0x4) { // loads and stores
    unsigned Rt2 = bits(W, 14, 10), Rs = bits(W, 20, 16);
    M.set(Rn).set(Rt2).set(Rs).set((Rs + 1) & 31);
    if (bits(W, 26, 26))
      for (unsigned K = 0; K < 4; ++K)
        M.set(V0 + ((Rd + K) & 31));
    else
      M.set(Rd).set((Rd + 1) & 31);
    M.set(V0 + Rt2, bits(W, 26, 26));
    if (matches(W, 0x3f000000, 0x08000000) && !bits(W, 23, 23)) {
      // Load and store exclusive; bit 21 with bit 31 clear is CASP.
      if (!bits(W, 21, 21) || bits(W, 31, 31)) {
        I.Flags |= StaticInsn::Exclusive;
        if (!bits(W, 22, 22)) {
          I.Flags |= StaticInsn::StoreExclusive;
          I.StatusReg = Rs;
        }
      }
    }
  } else if ((Group & 0x7) == 0x5) { // data processing, register
    M.set(Rd).set(CPSR);
  } else if ((Group & 0x7) == 0x7) { // floating point and vectors
    M.set(Rd).set(V0 + Rd).set(CPSR).set(FPSR);
  }
  return M;
}

static bool isVector(uint32_t W, bool Thumb) {
  uint32_t Top = bits(W, 31, 24);
  bool Coprocessor = matches(W, 0x0c000e00, 0x0c000a00) &&
                     bits(W, 27, 24) != 0xf && (!Thumb || (Top & 0xec) == 0xec);
  if (Thumb)
    return Coprocessor || (Top & 0xef) == 0xef ||
           (Top == 0xf9 && !bits(W, 20, 20));
  return Top >= 0xf0 ? Coprocessor || (Top & 0xfe) == 0xf2 || Top == 0xf4
                     : Coprocessor;
}

// Vd, Vn and Vm are four bits with a fifth elsewhere, before or after them, and
// the structure loads write up to eight registers from the first.
static void addVector(RegMask &M, uint32_t W) {
  unsigned Vd = bits(W, 15, 12), Vn = bits(W, 19, 16), Vm = bits(W, 3, 0);
  unsigned Dd = Vd | bits(W, 22, 22) << 4, Dn = Vn | bits(W, 7, 7) << 4,
           Dm = Vm | bits(W, 5, 5) << 4;
  auto Set = [&](unsigned First, unsigned Count) {
    for (unsigned D = First; D < First + Count && D < 32; ++D)
      M.set(V0 + D);
  };
  bool LoadMultiple = matches(W, 0x0e000e00, 0x0c000a00);
  unsigned Count = LoadMultiple ? std::max(8u, bits(W, 7, 0) / 2 + 1) : 8;
  Set(Dd, Count);
  Set(Vd, Count);
  Set(Dn, 1);
  Set(Vn, 1);
  Set(Dm, 2);
  Set(Vm, 2);
  M.set(FPSR).set(Vd).set(Vn).set(Vm);
}

static void addList(RegMask &M, uint32_t List) {
  for (unsigned R = 0; R < 15; ++R)
    if (List >> R & 1)
      M.set(R);
}

static void markExclusive(StaticInsn &I, bool Load, unsigned Status) {
  I.Flags |= StaticInsn::Exclusive;
  if (Load)
    return;
  I.Flags |= StaticInsn::StoreExclusive;
  I.StatusReg = Status;
}

static RegMask withoutPC(RegMask M) {
  M.reset(15);
  return M;
}

RegMask rw::record::classifyA32(StaticInsn &I) {
  uint32_t W = I.Opcode;
  unsigned Rd = bits(W, 15, 12), Rn = bits(W, 19, 16);
  RegMask M;
  M.set(CPSR);
  if (bits(W, 31, 28) != 0xf)
    I.Cond = bits(W, 31, 28);
  if (isVector(W, false)) {
    addVector(M, W);
  } else if (matches(W, 0x0e000000, 0x0a000000)) { // B, BL, BLX
    I.Flags |= StaticInsn::Jump;
    if (bits(W, 24, 24) || bits(W, 31, 28) == 0xf) {
      I.Flags |= StaticInsn::Link;
      M.set(R14);
    }
    return M;
  } else if (matches(W, 0x0e000000, 0x08000000)) { // LDM, STM
    addList(M, bits(W, 20, 20) ? bits(W, 15, 0) : 0);
    M.set(Rn);
    if (bits(W, 20, 20) && bits(W, 15, 15))
      I.Flags |= StaticInsn::Indirect;
  } else if (matches(W, 0x0f000000, 0x0f000000)) {
    return M.set(X0).set(TPIDR); // SVC: a call's result
  } else {
    M.set(Rd).set((Rd + 1) & 15).set(Rn);
    if (Rd == 15)
      I.Flags |= StaticInsn::Indirect;
  }
  if (matches(W, 0x0ff000f0, 0x01000070) || matches(W, 0x0ff000f0, 0x01200070))
    M.set(X0); // HLT, BKPT: a call's result
  if (matches(W, 0x0ffffff0, 0x012fff10))
    I.Flags |= StaticInsn::Indirect;
  if (matches(W, 0x0ffffff0, 0x012fff30)) {
    I.Flags |= StaticInsn::Indirect | StaticInsn::Link;
    M.set(R14);
  }
  if (matches(W, 0x0f8002f0, 0x01800290))
    markExclusive(I, bits(W, 20, 20), Rd);
  return withoutPC(M);
}

static RegMask classifyT16(StaticInsn &I) {
  uint32_t W = I.Opcode;
  RegMask M;
  M.set(CPSR);
  if (matches(W, 0xff00, 0xbf00)) {
    if (W & 0xf)
      I.Flags |= StaticInsn::IfThen;
    return M;
  }
  if (matches(W, 0xf000, 0xd000)) { // B<cond>, SVC
    if (bits(W, 11, 9) != 7) {
      I.Flags |= StaticInsn::Jump;
      I.Cond = bits(W, 11, 8);
    }
    return M.set(X0).set(TPIDR);
  }
  if (matches(W, 0xf800, 0xe000)) {
    I.Flags |= StaticInsn::Jump;
    return M;
  }
  M.set(bits(W, 2, 0)).set(bits(W, 5, 3)).set(bits(W, 10, 8));
  M.set(R13).set(R14).set(X0);      // X0: BKPT and HLT return a call's result
  if (matches(W, 0xfc00, 0x4400)) { // high registers, BX, BLX
    unsigned Rd = bits(W, 2, 0) | bits(W, 7, 7) << 3;
    M.set(Rd);
    if (bits(W, 9, 8) == 3) {
      I.Flags |= StaticInsn::Indirect;
      if (bits(W, 7, 7))
        I.Flags |= StaticInsn::Link;
    } else if (Rd == 15) {
      I.Flags |= StaticInsn::Indirect;
    }
  }
  if (matches(W, 0xfe00, 0xbc00) || matches(W, 0xf800, 0xc800))
    addList(M, bits(W, 7, 0));
  if (matches(W, 0xff00, 0xbd00))
    I.Flags |= StaticInsn::Indirect;
  return withoutPC(M);
}

RegMask rw::record::classifyT32(StaticInsn &I) {
  if (I.Size == 2)
    return classifyT16(I);
  uint32_t W = I.Opcode;
  RegMask M;
  M.set(CPSR);
  if (isVector(W, true)) {
    addVector(M, W);
    return withoutPC(M);
  }
  if (matches(W, 0xf8008000, 0xf0008000)) { // branches and control
    if (bits(W, 14, 14)) {
      I.Flags |= StaticInsn::Link | StaticInsn::Jump;
      M.set(R14);
    } else if (bits(W, 12, 12)) {
      I.Flags |= StaticInsn::Jump;
    } else if (bits(W, 25, 23) != 7) {
      I.Flags |= StaticInsn::Jump;
      I.Cond = bits(W, 25, 22);
    } else {
      M.set(bits(W, 11, 8)); // MRS
    }
    return withoutPC(M);
  }
  M.set(bits(W, 19, 16)).set(bits(W, 15, 12)).set(bits(W, 11, 8));
  M.set(bits(W, 3, 0));
  if (matches(W, 0xfe400000, 0xe8000000) && bits(W, 20, 20)) { // LDM
    addList(M, bits(W, 15, 0));
    if (bits(W, 15, 15))
      I.Flags |= StaticInsn::Indirect;
  }
  if (matches(W, 0xfff0ffe0, 0xe8d0f000) || // TBB, TBH; LDR pc
      (matches(W, 0xff70f000, 0xf850f000)))
    I.Flags |= StaticInsn::Indirect;
  if (matches(W, 0xffe00000, 0xe8400000)) // LDREX, STREX
    markExclusive(I, bits(W, 20, 20), bits(W, 11, 8));
  else if (matches(W, 0xffe00040, 0xe8c00040)) // and those with a size
    markExclusive(I, bits(W, 20, 20), bits(W, 3, 0));
  return withoutPC(M);
}
