#include <stdlib.h>
__attribute__((noinline)) static int depth(int n) { if (n == 0) return 0;
  return 1 + depth(n - 1); }
__attribute__((noinline)) static int check(int x) { if (x % 2) return -1;
  return x * 2; }
__attribute__((noinline)) static int looped(int n) {
  while (n > 3)
    n = n / 2;
  return n; }
__attribute__((noinline)) static int other(int n) { return n & 1; }
__attribute__((noinline)) static int caller(int n) { return other(n + 1); }
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum += check(i) + looped(i * 10) + depth(i % 3) + caller(i);
  return sum + atoi("5") == 0;
}
