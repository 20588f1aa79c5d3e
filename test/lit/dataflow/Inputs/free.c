/* A sum whose numbers come one from the other; rewritten, from a table. */
#include <stdio.h>

#define COUNT 5000

#ifdef REWRITTEN
static unsigned numbers[COUNT];
__attribute__((noinline)) static unsigned next(unsigned last, int at) {
  (void)last;
  return numbers[at];
}
#else
__attribute__((noinline)) static unsigned next(unsigned last, int at) {
  last = last * 1664525u + 1013904223u;
  last ^= last >> 7;
  return last + (unsigned)at;
}
#endif

int main(void) {
  unsigned number = 1, sum = 0;
  for (int at = 0; at < COUNT; ++at) {
    number = next(number, at);
    sum = (sum ^ number) * 3;
  }
  printf("%u\n", sum);
  return 0;
}
