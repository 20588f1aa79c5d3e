/* Expressions of these are computed at each visit of step. */
enum colour { RED, GREEN = 3, BLUE = 9 };
struct item { int kind : 4; int count : 12; enum colour paint; double share; };
struct item items[4];
enum colour last;
unsigned char small;
const char *names[4]; /* of which the trace tells nothing */

__attribute__((noinline)) int step(int i, long wide) {
  struct item *at = &items[i & 3];
  at->count = i * 3;
  at->kind = -i & 3;
  at->paint = i % 3 == 0 ? RED : i % 3 == 1 ? GREEN : BLUE;
  at->share = i * 0.5;
  small = (unsigned char)(200 + i);
  last = at->paint;
  return (int)wide + i;
}

int main(void) {
  long sum = 0;
  for (int i = 0; i < 60; i++)
    sum += step(i, -3L * i);
  return sum == 0;
}
