/*===- pltlib.c - The library of plt.c -----------------------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

int plt_add(int a, int b) { return a + b; }
int plt_apply(int (*f)(int), int x) {
  int r = 0;
  for (int i = 0; i < 3; i++)
    r = plt_add(r, f(x));
  return r;
}
