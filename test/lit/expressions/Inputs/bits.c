/* Bit-fields whose neighbours in the same unit are never written. */
enum mood { CALM = 1, SOUR = -2 };
struct fields {
  unsigned low : 3;
  int sign : 5;
  unsigned gap : 8;
  unsigned across : 11;
  signed high : 5;
};
struct two {
  int before;
  struct fields in;
  unsigned long long narrow : 12, wide : 52;
  enum mood mood : 4;
  unsigned rest : 28;
};
static struct two t;
static struct two *to = &t;

__attribute__((noinline)) static int look(int i) { return i; }

int main(void) {
  volatile unsigned char *bytes = (volatile unsigned char *)&t;
  struct two *volatile *seen = &to;
  bytes = (volatile unsigned char *)*seen;
  bytes[4] = 0xd5;          // low = 5, sign = -6
  bytes[6] = 0x34;          // a part of across
  bytes[7] = 0x8b;          // the rest of it, and high
  bytes[8] = 0xcd;          // a part of narrow
  bytes[9] = 0xab;          // its last bits, and the first of wide
  bytes[16] = 0x1e;         // mood, a part of rest
  return look(0);
}
