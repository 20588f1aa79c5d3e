static volatile long Cell = 3;

__attribute__((always_inline)) static inline long folded(long n) {
  return n * Cell + 1;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 20; ++i)
    sum = folded(sum);
  Cell = sum;
  return 0;
}
