//===- probe_ppc.h - Registers in signal frames of POWER ----------*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by probe.c alone.
//
//===----------------------------------------------------------------------===//

#define CodeAddress 0x5000000000ul
static const uint8_t *trap(int Thumb) {
  static const uint32_t Trap = 0x7fe00008; /* trap */
  (void)Thumb;
  return (const uint8_t *)&Trap;
}

/* Thread-local storage is at r13, which handlers are entered with as it is. */
static uint64_t Thread;
static void saveThread(void) { __asm__ volatile("mr %0,13" : "=r"(Thread)); }
#define restoreThread() __asm__ volatile("mr 13,%0" : : "r"(Thread))

static uint64_t programCounter(ucontext_t *C) {
  return C->uc_mcontext.gp_regs[32];
}

static void setState(ucontext_t *C, const uint64_t *L, uint64_t PC, int Thumb) {
  (void)Thumb;
  gregset_t *G = &C->uc_mcontext.gp_regs;
  for (int I = 0; I < 32; ++I)
    (*G)[I] = L[I];
  (*G)[32] = PC;
  (*G)[35] = L[33]; /* ctr */
  (*G)[36] = L[32]; /* lr */
  (*G)[37] = L[35] & 0xe00c007f;
  (*G)[38] = L[34] & 0xffffffff;
  double *F = C->uc_mcontext.fp_regs;
  memset(F, 0, 33 * 8);
  uint64_t *V = (uint64_t *)C->uc_mcontext.v_regs;
  uint64_t *S = V + 68; /* the lower halves follow the vector registers */
  for (int I = 0; I < 32; ++I) {
    memcpy(&F[I], &L[40 + 2 * I + 1], 8);
    S[I] = L[40 + 2 * I];
    V[2 * I] = L[40 + 64 + 2 * I];
    V[2 * I + 1] = L[40 + 64 + 2 * I + 1];
  }
}

static uint64_t getState(ucontext_t *C, uint64_t *L, int Signal) {
  (void)Signal;
  gregset_t *G = &C->uc_mcontext.gp_regs;
  for (int I = 0; I < 32; ++I)
    L[I] = (*G)[I];
  L[33] = (*G)[35];
  L[32] = (*G)[36];
  L[35] = (*G)[37] & 0xe00c007f;
  L[34] = (*G)[38] & 0xffffffff;
  double *F = C->uc_mcontext.fp_regs;
  uint64_t *V = (uint64_t *)C->uc_mcontext.v_regs;
  uint64_t *S = V + 68;
  for (int I = 0; I < 32; ++I) {
    memcpy(&L[40 + 2 * I + 1], &F[I], 8);
    L[40 + 2 * I] = S[I];
    L[40 + 64 + 2 * I] = V[2 * I];
    L[40 + 64 + 2 * I + 1] = V[2 * I + 1];
  }
  return (*G)[32];
}
