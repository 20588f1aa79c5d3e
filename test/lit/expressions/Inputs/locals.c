/* Variables of functions: on the stack, in registers, in blocks, of one file. */
#include <stdbool.h>
#ifndef VISITS
#define VISITS 24
#endif
enum phase { IDLE, BUSY = 5, LATE = -2 };
struct point {
  short x, y;
  unsigned char tag[4];
  struct point *next;
};
struct point points[3];
long total = 3;
int shade = 9;
volatile long sink;

__attribute__((noinline)) static long visit(struct point *p, int step,
                                            unsigned char byte, long wide) {
  static int calls;
  struct point copy = *p;
  unsigned half = (unsigned)step / 2u;
  short row[4] = {(short)step, -1, (short)(wide >> 3), 4};
  enum phase phase = step % 3 ? BUSY : LATE;
  bool odd = step & 1;
  const long long mask = 0xff00ll << (step & 31);
  int shade = step - 4;
  calls++;
  {
    long inner = wide * step - byte;
    int half = shade + 1; /* another */
    sink = inner + half;  /* here */
    total += inner + row[step & 3] + phase + odd + (long)mask;
  }
  return total + copy.x + half + shade;
}

int main(void) {
  for (int i = 0; i < 3; ++i) {
    points[i].x = (short)(i * 7);
    points[i].y = (short)-i;
    for (int k = 0; k < 4; ++k)
      points[i].tag[k] = (unsigned char)(40 * k + i);
    points[i].next = &points[(i + 1) % 3];
  }
  long sum = shade;
  total = 3;
  for (int step = 0; step < VISITS; ++step)
    sum += visit(&points[step % 3], step * 5 - 20, (unsigned char)(step * 77),
                 (long)step << (step & 33));
  sink = sum;
  return 0;
}
