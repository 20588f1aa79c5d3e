/* For a processor of the M profile, which has no Linux. */
#include "shop.c"
void _start(void) {
  main();
  __asm__ volatile("mov r0, #0x18\n\tldr r1, =0x20026\n\tbkpt 0xab"); /* exit */
}
