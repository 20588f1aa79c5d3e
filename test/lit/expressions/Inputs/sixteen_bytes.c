__int128 big;
unsigned __int128 mask;
long double real;
double half;
_Complex float pair;
int n;

__attribute__((noinline)) void visit(int i) { n = i; }

int main(void) {
  visit(0);
  for (int i = 1; i <= 6; i++) {
    big = ((__int128)i - 3) << 70;
    mask = ~(unsigned __int128)0 >> i;
    real = 1.0L / 3 * (i - 4);
    half = i / 2.0;
    visit(i);
  }
  return 0;
}
