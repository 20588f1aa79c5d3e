/* Names that registers have, too. */
volatile int x0 = 123, pc = 6, first;

__attribute__((noinline)) static int visit(int i) { return i * 2; }

__attribute__((noinline)) static int local(int x1, int x2) { return x1 * x2 + x0; }

int main(void) {
  for (int i = 0; i < 10; ++i) {
    first += x0 + pc + visit(i);
    first += local(i, 2 * i + 7);
  }
  return 0;
}
