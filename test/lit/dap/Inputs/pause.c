/* A breakpoint in visit() is reached often: LLDB tests its condition each time. */
volatile unsigned total;

static unsigned visit(unsigned x) {
  total += x;
  return x * 2654435761u ^ (x >> 7);
}

int main(void) {
  unsigned x = 1;
  for (unsigned i = 0; i < 20000; i++)
    x = visit(x + i);
  return 0;
}
