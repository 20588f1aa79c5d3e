/* Calls that end in other ways than by their own return: a tail call, and a
   longjmp out of two calls. */
#include <setjmp.h>

static jmp_buf Back;
static volatile long Cell;

__attribute__((noinline)) static void deeper(long n) {
  Cell = 3 * n;
  longjmp(Back, 1);
}

__attribute__((noinline)) static void deep(long n) {
  deeper(n + 1);
  Cell = 0;
}

__attribute__((noinline)) static long last(long n) {
  return n * Cell;
}

__attribute__((noinline)) static long first(long n) {
  Cell = n;
  return last(n + 1);
}

int main(void) {
  volatile long sum = 0;
  for (volatile long n = 0; n < 5; ++n) {
    if (!setjmp(Back))
      deep(n);
    sum += Cell;
    sum += first(n);
  }
  return (int)(sum & 1);
}
