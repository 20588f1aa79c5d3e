/* `level` is a constant each time: only the branches around it depend on what
   was read, and only the call of raise() tells where they are. */
static volatile int readings[] = {3, 9, 4, 8};
static int level, noise;

__attribute__((noinline)) static void raise(void) { level = 2; }
__attribute__((noinline)) static void lower(void) { level = 1; }
__attribute__((noinline)) static int sum(int n) {
  int all = 0;
  for (int i = 0; i < n; ++i) /* elsewhere */
    all += i;
  return all;
}

int main(void) {
  for (int i = 0; i < 4; ++i) {
    int reading = readings[i]; /* read */
    noise += sum(5);
    if (reading > 5) /* decides */
      raise();       /* called */
    else
      lower();
  }
  noise += 1;
  if (noise > 0) /* always */
    noise = level; /* kept */
  return noise;
}
