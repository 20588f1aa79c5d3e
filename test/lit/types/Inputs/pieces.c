/* Structs that lie in registers, in memory, and in several of these. */
struct point {
  long x, y;
};
struct mixed {
  int number;
  float share;
  short small;
};
struct flags {
  unsigned low : 3, high : 5;
  long rest;
};
volatile long sink;
struct point kept[2] = {{3, -4}, {5, 6}};

__attribute__((noinline)) long length(struct point p) {
  sink = 1;            /* p in two registers */
  return p.x * p.x + p.y * p.y;
}
__attribute__((noinline)) long pick(struct mixed m, int by) {
  sink = 2; /* m in two registers */
  return m.number + by + (long)m.share + m.small;
}
__attribute__((noinline)) long bits(struct flags f) {
  sink = 3; /* bits in a register */
  return f.low + f.high + f.rest;
}
/* Its parts are apart: one is a constant. */
__attribute__((noinline)) long apart(long a, long b) {
  struct point p = {a + b, 12};
  sink = 4; /* p in a register and nowhere */
  p.x += sink;
  return length(p) + p.x;
}

int main(void) {
  struct mixed m = {-7, 2.5f, 9};
  struct flags f = {5, 17, -1};
  long sum = length(kept[0]);
  kept[1].y = sum;
  sum += pick(m, 2) + bits(f) + apart(sum, 1);
  kept[0] = (struct point){sum, -4};
  return 0;
}
