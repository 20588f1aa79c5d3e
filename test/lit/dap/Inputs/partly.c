/* A structure of which some is never written. */
struct item {
  int a, b;
  struct {
    short x, y;
  } in;
};

static int look(struct item *i, void *p) {
  int b = i->b;
  return p ? b : 4;
}

int main(void) {
  static struct item fixed;
  fixed.b = 5;
  fixed.in.y = 3;
  return look(&fixed, &fixed) != 5;
}
