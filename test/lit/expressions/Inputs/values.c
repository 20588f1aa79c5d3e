/* Values of every kind, some of which a trace does not tell. */
#include <stdio.h>
#include <string.h>
struct point {
  int x, y;
  double w;
  float f;
  char tag;
};
struct bits {
  unsigned a : 3, b : 5;
  signed c : 4;
};
enum color { RED, GREEN = 5 };
static char heap[4096];
static char part[16];
unsigned char ubuf[16];
signed char sbuf[16];
static char full[4];
static struct point pts[4];
static int table[8];
static double pi = 3.25;
static float ef = 2.5f;
static const char *greet = "hello world";
static struct bits bf;
static long long big = -5000000000LL;
static unsigned long long ubig = 1ull << 63;

static int work(int c, double d, struct point *p, const char *s, int n) {
  int i = n & 3;
  unsigned u = 7;
  enum color col = GREEN;
  const char *hidden = heap;
  char *some = &part[2];
  p->x = c, p->y = i, p->w = d, p->f = (float)d / 2, p->tag = 't';
  table[i] = c + n;
  part[2] = 'q', part[3] = 'r', part[4] = '\n';
  memcpy(full, "abc", 4);
  bf.a = 5, bf.b = 17, bf.c = -3;
  ubuf[0] = 'x', ubuf[1] = 0, sbuf[0] = 'y', sbuf[1] = 'z';
  return (int)(d + pi + ef) + table[i] + (int)u + (int)col + /* HERE */
         (s == greet) + (hidden == some);
}

int main(int argc, char **argv) {
  int total = 0;
  (void)argv;
  big += argc, ubig += 1, pi += 0.5, ef *= 2;
  for (int k = 0; k < 6; ++k)
    total += work(k - 2, k * 1.5, &pts[k & 3], greet, k);
  heap[100] = (char)total;
  printf("%d\n", total + (int)big + (int)ubig);
  return 0;
}
