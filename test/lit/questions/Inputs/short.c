// Lanes shorter than four bytes, and eight bytes that two instructions wrote
// and one reads.
unsigned words[2];
void _start(void) {
  __asm__ volatile("movi v0.2d, #0\n\t"
                   "mov w9, #0x41\n\t"
                   "mov v0.b[2], w9\n\t"
                   "mov w10, #7\n\t"
                   "mov v0.b[1], w10\n\t"
                   "mov v0.h[3], w10\n\t"
                   "mov w3, #2\n\t"
                   "mov w5, #1\n\t"
                   "str w3, [%0]\n\t"
                   "str w5, [%0, #4]\n\t"
                   "mov x12, #5\n\t"
                   "mov x11, #9\n\t"
                   "cas x12, x11, [%0]\n\t"
                   "mov x8, #93\n\tmov x0, #0\n\tsvc #0"
                   :
                   : "r"(words)
                   : "v0", "x0", "x3", "x5", "x8", "x9", "x10", "x11", "x12");
}
