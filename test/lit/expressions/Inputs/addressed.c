struct item {
  short s;
  char c;
  float f;
} it;
short x;
double wide = 0.5, doubled = 1.0;
float f = 1.0f;
int n, table[6];
int other(int *a);

static void change(int i) {
  x = (short)i;
  wide = wide * 2;
  f = f + 0.25f;
  n = i;
  table[i] = i;
  it.s = (short)i;
  it.f = f;
}

int main(void) {
  for (int i = 0; i < 6; ++i)
    change(i);
  return other(table) & 1;
}
