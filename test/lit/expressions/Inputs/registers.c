/* Names that registers have, too. */
volatile int x0 = 123, pc = 6, first;

__attribute__((noinline)) static int visit(int i) { return i * 2; }

int main(void) {
  for (int i = 0; i < 10; ++i)
    first += x0 + pc + visit(i);
  return 0;
}
