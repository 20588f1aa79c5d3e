//===- probe.h - Questions to a probe, answers of one -------------*- C -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_PROBE_H
#define REWIND_TEST_PROBE_H

#include <stdint.h>

/* A register state is an array of lanes, as core/arch/RegisterFile.h numbers
   them. All numbers are little endian, as are all machines that probes run on.
   On standard input: a ProbeCode and then Count times a ProbeState. The answer:
   Count times a ProbeResult. */
enum { ProbeLanes = 328, ProbeChanges = 96 };

struct ProbeCode {
  uint8_t Bytes[16];
  uint32_t Size;
  uint32_t Thumb; /* 1: T32 */
  uint32_t Count;
  uint32_t Magic;
};
enum { ProbeMagic = 0x50726f62 };

struct ProbeState {
  uint64_t Lanes[ProbeLanes];
  /* Each byte of memory is a hash of its address and this; if it is odd,
     aligned numbers of 8 bytes are addresses of user space. */
  uint64_t Seed;
  /* Some bytes of memory are others than that. */
  uint64_t FlipAt, FlipSize;
};

struct ProbeResult {
  uint64_t Lanes[ProbeLanes];
  uint64_t PC;        /* relative to the instruction */
  uint64_t FaultAddr; /* first address that it accessed; 0: none */
  uint32_t Signal;    /* 0: it was executed */
  uint32_t NumChanges;
  struct {
    uint64_t Addr;
    uint64_t Byte;
  } Changes[ProbeChanges]; /* bytes of memory that are others now */
};

static inline uint8_t probeByte(uint64_t Addr, const struct ProbeState *S) {
  uint64_t H = ((Addr >> 3) + S->Seed) * 0x9e3779b97f4a7c15u;
  uint8_t B = (uint8_t)(H >> (24 + 4 * (Addr & 7)));
  if ((S->Seed & 1) && (Addr & 7) > 4)
    B = 0;
  return Addr - S->FlipAt < S->FlipSize ? (uint8_t)~B : B;
}

#endif
