/*===- plt.c - Calls that the loader binds at the first use --------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

extern int plt_add(int, int);
extern int plt_apply(int (*)(int), int);
static int twice(int x) { return x + x; }
void _start(void) {
  __asm__ volatile("andq $-16, %rsp\n\tcall plt_main\n\tmovl %eax, "
                   "%edi\n\tmovl $60, %eax\n\tsyscall");
}
__attribute__((noinline, used)) int plt_main(void) {
  int acc = 0;
  for (int i = 0; i < 8; i++)
    acc = plt_add(acc, plt_apply(twice, i));
  return acc & 0x7f;
}
