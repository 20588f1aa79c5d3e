/* Calls that nest, and a field that a pointer leads to. */
struct item {
  int id, quantity;
};
static struct item items[3] = {{1, 10}, {2, 20}, {3, 30}};
int total;

static int count(int n) {
  if (n <= 0)
    return 0;
  int below = count(n - 1);
  return n + below;
}

static void sell(struct item *p, int n) {
  p->quantity -= n;
  total += n;
}

int main(void) {
  for (int i = 0; i < 3; ++i)
    sell(&items[i], i + 1);
  total += count(6);
  for (int i = 0; i < 12; ++i)
    total += count(i % 4);
  sell(&items[0], 5);
  return total == 62 ? 0 : 1;
}
