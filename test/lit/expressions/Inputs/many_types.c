#include <stdint.h>
enum colour { RED, GREEN, BLUE };
volatile float sink;
struct all {
  unsigned a : 3;
  int b : 5;
  float f;
  double d;
  uint8_t u8;
  int8_t i8;
  char c;
  enum colour colour;
  _Bool ok;
  int *p;
  short numbers[3];
} g;
__attribute__((noinline)) static int step(int i, float real, char letter, uint8_t byte, enum colour c, _Bool ok,
                                          unsigned long wide) {
  sink = real;
  return i + letter + byte + c + ok + (int)wide;
}
int main(void) {
  int t = 0;
  for (int i = 0; i < 40; ++i) {
    g.a = i;
    g.b = i;
    g.f = i * 0.1f;
    g.d = i ? i * 0.1 : -0.0;
    g.u8 = i * 7;
    g.i8 = -i * 3;
    g.c = 'a' + i % 26;
    g.colour = i % 4;
    g.ok = i & 1;
    g.p = &t + i % 3;
    g.numbers[1] = -i;
    t += step(i, i * 0.1f, 'a' + i % 26, i * 7, i % 4, i & 1, (unsigned long)i << 40);
  }
  return t == 0;
}
