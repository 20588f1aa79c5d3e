/* What a condition compares. */
enum state { IDLE, CONNECTING = 3, OPEN, CLOSED = 10 };
struct conn {
  int id;
  enum state st;
  char name[8];
  unsigned x : 5;
  int z : 6;
  double load;
  float rate;
  int (*cb)(int);
  struct conn *next;
  struct conn *never;
} conns[8];
__int128 big = 5;
long double ld = 1.5L;
int add(int a) { return a + 1; }
int sub(int a) { return a - 1; }
int one(struct conn *c, int i) { c->id += i; return c->id; }
int empty;
static void visit(struct conn *c, enum state to, int i) {
  c->id += (int)to;
  empty = i;
}
int main(void) {
  for (int i = 0; i < 20; i++) {
    struct conn *c = &conns[i & 7];
    c->load = i * 0.5 - 3;
    c->rate = (float)(3 - i);
    c->x = (unsigned)i;
    c->z = -i;
    c->next = i & 1 ? &conns[i / 8] : 0;
    c->cb = i & 1 ? add : sub;
    c->name[0] = (char)('a' + i % 3);
    c->st = i % 3 == 2 ? OPEN : IDLE;
    visit(c, i % 3 ? OPEN : CONNECTING, i);
    one(c, i);
  }
  return 0;
}
