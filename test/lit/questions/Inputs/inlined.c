// Functions that are only inlined, only called, and both.
volatile int sink;
int table[4] = {3, 1, 4, 1};
static inline __attribute__((always_inline)) int step(int x) {
  sink = x;
  return x * 3 + table[x & 3];
}
static int half(int x) {
  sink += x;
  return x / 2;
}
__attribute__((noinline)) int (*pick(void))(int) { return half; }
__attribute__((noinline)) int one(int x) { return step(x) + 1; }
__attribute__((noinline)) int two(int x) { return step(x) + step(x + 1); }
int main(void) {
  int n = one(5) + two(6) + half(9);
  for (int i = 0; i < 3; ++i)
    n += two(i);
  return (n + pick()(4)) & 1;
}
