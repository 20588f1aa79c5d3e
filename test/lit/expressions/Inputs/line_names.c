/* At -O2 code of mix, which has an i of its own, stands where lines of main begin. */
#include <stdint.h>
#include <stdio.h>
struct record { int16_t low; uint8_t kind : 3; int8_t sign : 4; float load; double mean; unsigned char tag[6]; } records[16];
enum state { IDLE, RUN = 3, STOP = -2 } state;
unsigned total;
int64_t sum;
static int mix(int i) {
  int t = i * 31;
  t ^= t >> 3;
  struct record *r = &records[i & 15];
  r->low = (int16_t)t;
  r->kind = i;
  r->sign = i;
  r->load = i * 0.5f;
  r->mean = i / 3.0;
  r->tag[i % 6] = i;
  state = i % 3 == 0 ? IDLE : i % 3 == 1 ? RUN : STOP;
  total += (unsigned)t;
  sum -= t;
  return t;
}
int main(void) {
  long n = 0;
  for (int i = 0; i < 3000; ++i) {
    int v = mix(i * STEP + FIRST); // called
    if (v % 1000 == 7) // tested
      n++;
  }
  printf("%ld %u %lld\n", n, total, (long long)sum);
  return 0;
}
