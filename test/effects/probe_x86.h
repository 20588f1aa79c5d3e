//===- probe_x86.h - Registers in signal frames of x86-64 ---------*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included by probe.c alone.
//
//===----------------------------------------------------------------------===//

#include <cpuid.h>
#define CodeAddress 0x500000000000ul

static void saveThread(void) {}
static void restoreThread(void) { __asm__ volatile("cld"); }
static const uint8_t *trap(int Thumb) {
  static const uint32_t Int3 = 0xcccccccc;
  (void)Thumb;
  return (const uint8_t *)&Int3;
}

static uint64_t programCounter(ucontext_t *C) {
  return (uint64_t)C->uc_mcontext.gregs[REG_RIP];
}

static const int Order[] = {
    REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RDI, REG_RSI, REG_RBP, REG_RSP,
    REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/* Where a component of the extended state is; 0: there is none. */
static unsigned component(unsigned N) {
  static unsigned At[8];
  if (!At[N]) {
    unsigned A, B, C, D;
    __cpuid_count(13, N, A, B, C, D);
    At[N] = A ? B : 1;
  }
  return At[N] == 1 ? 0 : At[N];
}

static void vectors(ucontext_t *C, uint64_t *L, int Set) {
  uint8_t *F = (uint8_t *)C->uc_mcontext.fpregs;
  uint32_t Extended = *(uint32_t *)(F + 464) == 0x46505853;
  uint64_t *Present = (uint64_t *)(F + 512);
  uint64_t Have = Extended ? *(uint64_t *)(F + 472) : 3;
  if (Set) {
    *(uint16_t *)F = 0x37f;
    *(uint16_t *)(F + 2) = 0;
    *(uint8_t *)(F + 4) = 0xff; /* all eight are in use: the top is st0 */
    *(uint32_t *)(F + 24) = 0x1f80;
  }
  struct {
    unsigned Component, Offset, Stride, Count, First, Lane, Bytes;
  } Parts[] = {{0, 32, 16, 8, 0, 40, 10},
               {1, 160, 16, 16, 0, 72, 16},
               {2, component(2), 16, 16, 0, 74, 16},
               {5, component(5), 8, 8, 0, 32, 8},
               {6, component(6), 32, 16, 0, 76, 32},
               {7, component(7), 64, 16, 16, 72, 64}};
  for (unsigned P = 0; P < sizeof Parts / sizeof *Parts; ++P) {
    if (!(Have >> Parts[P].Component & 1) || !Parts[P].Offset)
      continue;
    unsigned Lanes = P == 0 ? 2 : P == 3 ? 1 : 8;
    int There = !Extended || (*Present >> Parts[P].Component & 1);
    for (unsigned I = 0; I < Parts[P].Count; ++I) {
      uint64_t *Lane = L + Parts[P].Lane + Lanes * (I + Parts[P].First);
      uint8_t *Value = F + Parts[P].Offset + Parts[P].Stride * I;
      if (Set)
        memcpy(Value, Lane, Parts[P].Bytes);
      else if (There)
        memcpy(Lane, Value, Parts[P].Bytes);
      else
        memset(Lane, 0, Parts[P].Bytes);
    }
    if (Set && Extended)
      *Present |= 1ull << Parts[P].Component;
  }
  if (Set)
    return;
  L[26] = *(uint16_t *)F;
  L[27] = *(uint16_t *)(F + 2);
  L[28] = *(uint8_t *)(F + 4);
}

static void setState(ucontext_t *C, const uint64_t *L, uint64_t PC, int Thumb) {
  (void)Thumb;
  greg_t *G = C->uc_mcontext.gregs;
  for (int I = 0; I < 16; ++I)
    G[Order[I]] = (greg_t)L[I];
  G[REG_RIP] = (greg_t)PC;
  G[REG_EFL] = (greg_t)((L[16] & 0xcd5) | 0x202);
  vectors(C, (uint64_t *)L, 1);
}

static uint64_t getState(ucontext_t *C, uint64_t *L, int Signal) {
  greg_t *G = C->uc_mcontext.gregs;
  for (int I = 0; I < 16; ++I)
    L[I] = (uint64_t)G[Order[I]];
  L[16] = (uint64_t)G[REG_EFL] & 0xcd5;
  vectors(C, L, 0);
  /* int3 leaves the address behind it. */
  return (uint64_t)G[REG_RIP] - (Signal == SIGTRAP);
}
