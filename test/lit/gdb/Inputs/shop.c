/* Counts down, by calls and loops, and stores what it found. */
int total;
static int stock[4] = {3, 1, 4, 1};

static int count(int n) {
  total += n;
  if (n <= 0)
    return 0;
  int below = count(n - 1);
  return n + below;
}

static int price(int i) {
  int p = stock[i] * 2;
  return p;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += price(i);
  sum += count(5);
  sum += count(2);
  return sum == 36 ? 0 : 1;
}
