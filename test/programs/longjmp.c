/*===- longjmp.c - longjmp with the stack pointer unchanged
 *-----------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* AArch64. As the C libraries of microcontrollers have them: neither makes a
 * frame, so that only where longjmp goes shows what it leaves. */
int save(long *To) __attribute__((returns_twice));
void leap(const long *From) __attribute__((noreturn));
__asm__(".text\n"
        ".type save, %function\n"
        "save: stp x19, x20, [x0]\n"
        "  stp x29, x30, [x0, 16]\n"
        "  mov x1, sp\n"
        "  str x1, [x0, 32]\n"
        "  mov w0, 0\n"
        "  ret\n"
        ".type leap, %function\n"
        "leap: mov x9, x0\n"
        "  ldp x19, x20, [x9]\n"
        "  ldp x29, x30, [x9, 16]\n"
        "  ldr x1, [x9, 32]\n"
        "  mov sp, x1\n"
        "  mov w0, 1\n"
        "  br x30\n");

static long saved[5];
static volatile int done;

static __attribute__((noinline)) void work(int n) { done += n; }

static __attribute__((noinline)) int attempt(int n) {
  if (save(saved) == 0) {
    work(n);
    leap(saved);
  }
  work(1);
  work(2);
  return done;
}

int main(void) {
  for (int i = 0; i < 100; ++i)
    work(attempt(i));
  return 0;
}
