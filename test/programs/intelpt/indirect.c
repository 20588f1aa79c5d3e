/*===- indirect.c - Calls by a table, a jump table, REP ------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <string.h>
static volatile unsigned sink;
static unsigned add(unsigned a, unsigned b) { return a + b; }
static unsigned sub(unsigned a, unsigned b) { return a - b; }
static unsigned mul(unsigned a, unsigned b) { return a * b; }
static unsigned xr(unsigned a, unsigned b) { return a ^ b; }
typedef unsigned (*op_t)(unsigned, unsigned);
static op_t const ops[] = {add, sub, mul, xr};
__attribute__((noinline)) static unsigned dispatch(unsigned op, unsigned a) {
  switch (op) { // compiled to an indirect jump
  case 0:
    return a + 1;
  case 1:
    return a * 3;
  case 2:
    return a ^ 0x55;
  case 3:
    return a >> 1;
  case 4:
    return ~a;
  case 5:
    return a - 7;
  case 6:
    return a << 2;
  default:
    return a;
  }
}
int main(int argc, char **argv) {
  (void)argv;
  unsigned acc = (unsigned)argc, seed = 1;
  char buf[64];
  for (int i = 0; i < 500; i++) {
    seed = seed * 1103515245u + 12345u;
    acc = ops[(seed >> 16) & 3](acc, seed);
    acc = dispatch((seed >> 8) & 7, acc);
    if ((i & 63) == 0) {
      void *d = buf;
      unsigned long n = sizeof buf;
      __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(i) : "memory");
    }
  }
  sink = acc + (unsigned)buf[3];
  return 0;
}
