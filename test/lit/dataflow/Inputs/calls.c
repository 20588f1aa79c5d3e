/* A function that calls itself, and a pair that is loaded and added up. */
__attribute__((noinline)) static unsigned depth(unsigned n) {
  return n ? depth(n - 1) * 3 + n : 1;
}

__attribute__((noinline)) static unsigned long pairs(const unsigned long *p) {
  unsigned long sum = 0;
  for (int i = 0; i < 100; ++i) {
    unsigned long a, b;
    __asm__ volatile("ldp %0, %1, [%2]" : "=&r"(a), "=&r"(b) : "r"(p)); /* made */
    __asm__ volatile("madd %0, %1, %2, %0" : "+r"(sum) : "r"(a), "r"(b)); /* used */
  }
  return sum;
}

int main(void) {
  static const unsigned long of[2] = {3, 4};
  return (int)(depth(40) + pairs(of)) & 1;
}
