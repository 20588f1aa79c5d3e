int s;
volatile int z;
int main(void) {
  for (int i = 0; i < 5; ++i) { int p = i * 2; s += p; z = p; }
  if (s > 3) { int q = s; { int r = q + 1; z = r; } z = q; }
  for (int i = 0; i < 3; ++i) s += i;
  while (s > 18) { int left = s; s = left - 1; }
  return s;
}
