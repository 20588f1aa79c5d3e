/* Values of many types, each at a known turn of a loop. */
enum door { CLOSED, OPEN = 5 };
enum door front;
double warm;
float cold;
signed char least;
struct {
  unsigned prio : 3;
  int below : 5;
} bits;
double rows[3];
__attribute__((noinline)) void turn(int i) {
  front = i == 2 ? OPEN : CLOSED;
  warm = i * 1.5;
  cold = i / 2.0f;
  least = -i;
  bits.prio = i + 1;
  bits.below = -i;
  rows[i % 3] = i;
}
int main(void) {
  for (int i = 0; i < 4; i++)
    turn(i);
  return 0;
}
