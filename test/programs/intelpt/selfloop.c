/*===- selfloop.c - Branches to themselves and to what follows -----------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

static volatile long sink;
int main(void) {
  long n = 3000, i = 0;
  __asm__ volatile("1: loop 1b" : "+c"(n));
  for (i = 0; i < 2000; i++) {
    long k = 2;
    __asm__ volatile("1: loop 1b\n\tjmp 2f\n2:\ttest %0,%0\n\tjz 3f\n3:\n"
                     : "+c"(k));
  }
  sink = n + i;
  return 0;
}
