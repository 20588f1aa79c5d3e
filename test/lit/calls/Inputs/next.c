/* wrapper() ends with a jump to heavy(), which lies right behind it. */
#include <stdio.h>
long wrapper(long n);
__asm__(".text\n.global wrapper, heavy\n.type wrapper, %function\n.type heavy, %function\n"
        "wrapper: add x0, x0, #1\n"
        "b heavy\n"
        ".size wrapper, . - wrapper\n"
        "heavy: mov x1, #50\n"
        "1: add x0, x0, x1\n"
        "subs x1, x1, #1\n"
        "b.ne 1b\n"
        "ret\n"
        ".size heavy, . - heavy\n");
int main(void) {
  long sum = 0;
  for (int i = 0; i < 10; ++i)
    sum = wrapper(sum);
  printf("%ld\n", sum);
  return 0;
}
