long balance = 500;
volatile int refused;
__attribute__((noinline)) void refuse(int k) { refused += k; }
__attribute__((noinline)) int apply(long *bal, int kind, int cents) {
  if (kind == 1 && *bal < cents) { refused++; refuse(cents); return -1; }
  *bal += kind == 1 ? -cents : cents;
  return 0;
}
int main(void) {
  int bad = 0;
  for (int i = 0; i < 20; i++)
    bad += apply(&balance, i % 2, i * 40);
  return bad;
}
