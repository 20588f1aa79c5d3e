struct item {
  float w;
  struct item *next;
};
static struct item items[8];
static volatile int sum;

static void visit(struct item *t, int d) {
  sum += t ? (int)t->w : d;
}

int main(void) {
  for (int i = 0; i < 8; ++i) {
    items[i].w = i * 1.5f;
    visit(i % 3 == 2 ? 0 : &items[i], i);
  }
  return 0;
}
