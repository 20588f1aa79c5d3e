static int moved, total, by;
static double share;

static void advance(int i) {
  int half = i / 2;
  by = half % 2; // 0 1 1 0 0 1 1
  total = i + half;
  share = total / 4.0;
  moved = i;
}

int main(void) {
  for (int i = 1; i < 8; ++i)
    advance(i);
  return total == 10 ? 0 : 1;
}
