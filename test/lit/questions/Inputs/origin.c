// Values that come from the system, from the image, in pieces and by arithmetic.
#include <unistd.h>

char in[8];
int table[4] = {3, 1, 4, 1};
const int fixed[4] = {10, 20, 30, 40};
int seed, total, scaled, kept;
union {
  unsigned char b[8];
  int i[2];
} u;
struct {
  unsigned low : 3, high : 5;
} bits;

__attribute__((noinline)) int scale(int a, int b) { return a * b + seed; }

// Keeps its argument in a register that it saves for others.
__attribute__((noinline)) int keep(int n, int v) {
  if (n)
    keep(n - 1, v + 1);
  return v;
}

int main(void) {
  read(0, in, sizeof in);
  for (int i = 0; i < 8; ++i)
    u.b[i] = (unsigned char)in[7 - i];
  for (int i = 0; i < 4; ++i)
    total += table[i];
  scaled = scale(in[1], 3);
  scaled = scale(in[2], 3);
  bits.low = (unsigned)in[3];
  bits.high = 9;
  kept = keep(3, fixed[in[0] & 3]);
  return total + scaled + kept + u.i[0];
}
