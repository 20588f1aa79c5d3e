volatile int calls;
int even(int k);
__attribute__((noinline)) int odd(int k) {
  if (k == 0)
    return 0;
  calls++;
  return even(k - 1);
}
__attribute__((noinline)) int even(int k) {
  if (k == 0)
    return 1;
  calls++;
  return odd(k - 1);
}
__attribute__((noinline)) int sum(int n, int all) {
  calls++;
  return n == 0 ? all : sum(n - 1, all + n);
}
__attribute__((noinline)) int hop(int k) { calls++; return even(k + 1); }
long total[2];
int main(void) {
  total[0] = even(9) + odd(4) + hop(2) + hop(3);
  return sum(10, 0) != 55;
}
