// Enumerators whose bytes have their highest bit set, and enumerations that are
// signed, unsigned, or smaller than an int.
#include <stdio.h>
enum narrow { N0, N1 = 127, N2 = 128, N3 = 200, N4 = 40000, N5 = 70000 };
enum below { M = -1, S3 = 200, S4 = 40000 };
enum high { UA, UB = 0x80000000u };
#ifdef __cplusplus
enum class level : unsigned char { lo, mid = 100, hi = 200 };
#endif

__attribute__((noinline)) static int look(enum narrow n, enum below s,
                                          enum high u, int i) {
#ifdef __cplusplus
  level l = i & 1 ? level::hi : level::mid;
  return (int)n + (int)s + (int)u + i + (int)l;
#else
  return (int)n + (int)s + (int)u + i;
#endif
}

int main() {
  static const enum narrow ns[] = {N0, N1, N2, N3, N4, N5};
  static const enum below ss[] = {M, S3, S4, S3, M, S4};
  int sum = 0;
  for (int i = 0; i < 6; i++)
    sum += look(ns[i], ss[i], i & 1 ? UB : UA, i);
  printf("%d\n", sum);
  return 0;
}
