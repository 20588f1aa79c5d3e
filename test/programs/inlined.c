/*===- inlined.c - Inlined, tail and recursive calls, optimized
 *-------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

static volatile int sink;
static inline __attribute__((always_inline)) int add(int a, int b) {
  int r = a + b;
  sink = r;
  return r;
}
static inline __attribute__((always_inline)) int twice(int a) {
  int r = add(a, a);
  sink = r + 1;
  return r;
}
__attribute__((noinline)) int leaf(int x) { return x * 3 + sink; }
__attribute__((noinline)) int tail(int x) {
  sink = x;
  return leaf(x + 1);
}
__attribute__((noinline)) int fact(int n) {
  if (n < 2)
    return 1;
  return n * fact(n - 1);
}
int main(void) {
  int total = 0;
  for (int i = 0; i < 20; ++i) {
    total += twice(i);
    total += tail(i);
    if (i & 1)
      total += leaf(i) + leaf(total);
    total += fact(i % 6);
  }
  sink = total;
  return 0;
}
