//===- probe_arm.h - Registers in signal frames of A32 and T32 ----*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by probe.c alone.
//
//===----------------------------------------------------------------------===//

#define CodeAddress 0x60000000ul
static const uint8_t *trap(int Thumb) {
  static const uint32_t A32 = 0xe7f0def0, T32 = 0xde01de01; /* udf */
  return (const uint8_t *)(Thumb ? &T32 : &A32);
}

static void saveThread(void) {}
static void restoreThread(void) {}

struct VfpFrame { /* as the kernel lays it out */
  uint64_t FPRegs[32];
  uint32_t FPSCR;
};
static struct VfpFrame *vectors(ucontext_t *C) {
  uint32_t *W = (uint32_t *)C->uc_regspace;
  while (W[0] != 0x56465001)
    W += W[1] / 4;
  return (struct VfpFrame *)(W + 2);
}

static uint64_t programCounter(ucontext_t *C) { return C->uc_mcontext.arm_pc; }

static void setState(ucontext_t *C, const uint64_t *L, uint64_t PC, int Thumb) {
  unsigned long *R = &C->uc_mcontext.arm_r0;
  for (int I = 0; I < 13; ++I)
    R[I] = (unsigned long)L[I];
  R[13] = (unsigned long)L[37];
  R[14] = (unsigned long)L[38];
  R[15] = (unsigned long)PC;
  /* N Z C V Q, GE, and IT, of which T32 alone has any. */
  unsigned long Mask = 0xf80f0000ul | (Thumb ? 0x0600fc00ul : 0);
  C->uc_mcontext.arm_cpsr = (C->uc_mcontext.arm_cpsr & ~(0xfe0ffc20ul)) |
                            ((unsigned long)L[32] & Mask) |
                            (Thumb ? 0x20ul : 0);
  struct VfpFrame *V = vectors(C);
  memcpy(V->FPRegs, L + 40, 256);
  V->FPSCR = (uint32_t)L[35] & 0xf0000000u;
}

static uint64_t getState(ucontext_t *C, uint64_t *L, int Signal) {
  (void)Signal;
  unsigned long *R = &C->uc_mcontext.arm_r0;
  for (int I = 0; I < 13; ++I)
    L[I] = R[I];
  L[37] = R[13];
  L[38] = R[14];
  L[32] = C->uc_mcontext.arm_cpsr & 0xf80f0000ul;
  memcpy(L + 40, vectors(C)->FPRegs, 256);
  L[35] = vectors(C)->FPSCR & 0xf0000000u;
  return R[15];
}
