// Bit-fields of char types, and a static of a name that two files have.
struct link {
  unsigned char prio : 3;
  signed char delta : 4;
  _Bool urgent : 1;
  int wide : 5;
  struct link *next;
};
struct link links[2];
static int cache[4];
int other(int);

__attribute__((noinline)) static int step(struct link *c, int n) {
  c->delta = -n;
  c->prio = n + 3;
  cache[n & 3] = n;
  return c->delta + c->prio; // HERE
}

int main(void) {
  links[0].next = &links[1];
  links[0].wide = -3;
  links[0].urgent = 1;
  return step(links, 2) + step(links, 4) + other(1) - 7;
}
