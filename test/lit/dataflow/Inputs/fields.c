// Two fields of four bytes that are passed in one x register.
typedef struct {
  unsigned a, b;
} Pair;

Pair pair;
unsigned low, high, branch;

__attribute__((noinline)) void setA(unsigned x) { pair.a = x * 3; }
__attribute__((noinline)) void setB(unsigned x) { pair.b = x * 5; }

__attribute__((noinline)) void use(Pair p) {
  unsigned l, h, b = 1;
  __asm__ volatile("add %w0, %w3, #7\n"
                   "lsr %1, %3, #32\n"
                   "tbz %w3, #1, 1f\n"
                   "mov %w2, #2\n"
                   "1:\n"
                   : "=&r"(l), "=&r"(h), "+&r"(b)
                   : "r"(p));
  low = l;
  high = h;
  branch = b;
}

void _start(void) {
  setA(2);
  setB(3);
  use(pair);
  register long status __asm__("x0") = 0, number __asm__("x8") = 93;
  __asm__ volatile("svc #0" ::"r"(status), "r"(number));
}
