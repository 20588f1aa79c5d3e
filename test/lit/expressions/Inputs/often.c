/* A function that is called 40,000 times. */
volatile int total;
__attribute__((noinline)) int hit(int i) {
  total += i;
  return total;
}
int main(void) {
  int r = 0;
  for (int i = 0; i < 40000; i++)
    r ^= hit(i);
  return r == 1;
}
