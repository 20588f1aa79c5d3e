/* Two functions of one name: this one's calls wait for one another. */
volatile int cell = 1;
__attribute__((noinline)) static int next(int x) { return x * 3 + 1; }
__attribute__((noinline)) static int helper(int x) {
  x = next(x);
  return next(x) + cell;
}
int other(int);
int main(void) { return other(helper(2)) == 0; }
