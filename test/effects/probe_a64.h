//===- probe_a64.h - Registers in signal frames of A64 ------------*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by probe.c alone.
//
//===----------------------------------------------------------------------===//

#include <asm/sigcontext.h>
#define CodeAddress 0x5000000000ul
static const uint8_t *trap(int Thumb) {
  static const uint32_t Trap = 0xd4200000; /* brk */
  (void)Thumb;
  return (const uint8_t *)&Trap;
}

static void saveThread(void) {}
static void restoreThread(void) {}

static struct _aarch64_ctx *record(ucontext_t *C, uint32_t Magic) {
  struct _aarch64_ctx *H = (struct _aarch64_ctx *)C->uc_mcontext.__reserved;
  while (H->magic != Magic && H->magic)
    H = (struct _aarch64_ctx *)((char *)H + H->size);
  return H->magic ? H : NULL;
}

static struct fpsimd_context *vectors(ucontext_t *C) {
  return (struct fpsimd_context *)record(C, FPSIMD_MAGIC);
}

static uint64_t programCounter(ucontext_t *C) { return C->uc_mcontext.pc; }

static void setState(ucontext_t *C, const uint64_t *L, uint64_t PC, int Thumb) {
  (void)Thumb;
  for (int I = 0; I < 31; ++I)
    C->uc_mcontext.regs[I] = L[I];
  C->uc_mcontext.sp = L[31];
  C->uc_mcontext.pc = PC;
  C->uc_mcontext.pstate =
      (C->uc_mcontext.pstate & ~0xf0000000ul) | (L[32] & 0xf0000000ul);
  struct fpsimd_context *V = vectors(C);
  memcpy(V->vregs, L + 40, 512);
  /* With SVE there is a second copy. */
  struct sve_context *S = (struct sve_context *)record(C, SVE_MAGIC);
  if (S && S->head.size > sizeof *S)
    for (int I = 0; I < 32; ++I)
      memcpy((char *)S + SVE_SIG_ZREG_OFFSET(S->vl / 16, I), L + 40 + 2 * I,
             16);
  V->fpsr = 0;
  V->fpcr = 0;
}

static uint64_t getState(ucontext_t *C, uint64_t *L, int Signal) {
  (void)Signal;
  for (int I = 0; I < 31; ++I)
    L[I] = C->uc_mcontext.regs[I];
  L[31] = C->uc_mcontext.sp;
  L[32] = C->uc_mcontext.pstate & 0xf0000000ul;
  memcpy(L + 40, vectors(C)->vregs, 512);
  return C->uc_mcontext.pc;
}
