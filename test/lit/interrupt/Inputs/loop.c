/* Goes round often. */
static volatile int sum;

__attribute__((noinline)) static void turn(int i) { sum += i; }

int main(void) {
  for (int i = 0; i < 100000; ++i)
    turn(i);
  return 0;
}
