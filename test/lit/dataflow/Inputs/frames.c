/* own() fills an array of its own, shared() one of its caller's; both through a
   pointer, and neither reads what the call before left there. */
__attribute__((noinline)) static void fill(volatile long *to, long from) {
  for (int i = 0; i < 8; ++i)
    to[i] = from + i;
}

__attribute__((noinline)) static long own(long n) {
  volatile long of[8];
  fill(of, n);
  return of[n & 7] - of[0];
}

__attribute__((noinline)) static long shared(volatile long *of, long n) {
  fill(of, n);
  return of[n & 7] - of[0];
}

int main(void) {
  volatile long of[8];
  volatile long sum = 0;
  for (long n = 0; n < 5; ++n)
    sum += own(n);
  for (long n = 0; n < 5; ++n)
    sum += shared(of, n);
  return (int)sum & 1;
}
