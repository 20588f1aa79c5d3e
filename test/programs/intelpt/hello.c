/*===- hello.c - The C library, from the very first instruction ----------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <stdio.h>
int main(void) {
  printf("hello %d\n", 42);
  return 0;
}
