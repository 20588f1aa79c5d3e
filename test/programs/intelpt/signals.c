/*===- signals.c - Signals and system calls ------------------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int got;
static void handler(int s) { got += s; }
__attribute__((noinline)) static void crash(void) { *(volatile int *)0 = 1; }
int main(int argc, char **argv) {
  (void)argv;
  signal(SIGUSR1, handler);
  for (int i = 0; i < 3; i++) {
    kill(getpid(), SIGUSR1);
    write(1, ".", 1);
  }
  if (argc > 1)
    crash();
  return got != 3 * SIGUSR1;
}
