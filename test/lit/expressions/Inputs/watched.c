struct point {
  int x, y;
  long z;
};
static struct point pts[4];
static int counter, other;

static void work(int i) {
  pts[1].y = i;
  counter += i;
  other = i;
}

int main(void) {
  for (int i = 1; i < 5; ++i)
    work(i);
  return 0;
}
