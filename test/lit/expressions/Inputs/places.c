// An array, a bit-field and a pointer of which a trace tells little when it
// asks.
typedef struct node {
  struct node *next;
  short key;
  struct {
    unsigned a : 3;
    int b : 5;
    unsigned long long c : 40;
    struct {
      unsigned d : 1;
    };
  } bits;
  char name[12];
} node;

unsigned char heap[16];
node one, *head, *cold;

__attribute__((noinline, noclone)) static void fill(volatile int last) {
  for (int i = 0; i <= last; i++)
    ((volatile unsigned char *)heap)[i] = (unsigned char)(i * 3 + 33);
}

int main(int argc, char **argv) {
  head = &one;
  one.key = 5;
  one.bits.b = -3;
  one.bits.c = 0x1234567890;
  one.bits.d = argc & 1;
  one.name[0] = 'h';
  one.name[1] = 'i';
  fill(4);
  one.bits.b = 4;
  return 0;
}
