struct bits {
  unsigned a : 5;
  unsigned b : 3;
  unsigned c : 24;
} word;
volatile unsigned in = 7;

__attribute__((noinline)) void set(unsigned v) {
  word.a = v;
  word.b = v + 2;
  word.c = v + 2;
}

int main(void) {
  set(in);
  return 0;
}
