/*===- fib.c - Calls, returns, conditional branches ----------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <stdlib.h>
static volatile int sink;
__attribute__((noinline)) int fib(int n) {
  if (n < 2)
    return n;
  return fib(n - 1) + fib(n - 2);
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 12;
  sink = fib(n);
  return 0;
}
