// Writes of parts of a register, and of bits of memory.
unsigned long low = 11, high = 22, out;
struct Fields {
  unsigned x : 4, y : 6, z : 6;
} first = {1, 2, 3}, second = {4, 5, 6};
__attribute__((noinline)) void setX(struct Fields *f, unsigned v) { f->x = v; }
void _start(void) {
  unsigned long x = low, y = high;
  __asm__ volatile("fmov d0, %0\n\tfmov v0.d[1], %1\n\tumov %0, v0.d[0]"
                   : "+r"(x)
                   : "r"(y)
                   : "v0");
  out = x;
  setX(&first, 5);
  setX(&first, 6);
  second.z = first.y;
  __asm__ volatile("mov x8, #93\n\tmov x0, #0\n\tsvc #0");
}
