/* Passes one line very often. */
volatile unsigned long x;

int main(void) {
  for (long i = 0; i < 30000; ++i)
    x += i;
  return 0;
}
