#include <stddef.h>
#include <stdint.h>
__attribute__((noinline)) int shadow(int x) {
  for (int i = 0; i < 3; i++)
    x += 10 * i + 1;
  return x;
}
__attribute__((noinline)) unsigned crc(const uint8_t *p, size_t n) { unsigned c = ~0u; while (n--) c = (c ^ *p++) * 31; return ~c; }
volatile int sink;
__attribute__((noinline)) float scale(float f, int n) {
  f = f * 3;
  sink = n;
  return f;
}
__attribute__((noinline)) int lost(float f, int n) {
  float r = f * 3;
  sink = n;
  return scale(r, n);
}
int main(void) {
  lost(0.25f, 1);
  lost(0.5f, 2);
  sink = crc((const uint8_t *)"123456789", 9);
  for (int i = 0; i < 5; i++)
    sink += shadow(i);
  return 0;
}
