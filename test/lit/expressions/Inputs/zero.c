/* The first that a trace tells of some variables is that they become zero. */
static volatile struct {
  unsigned char v;
} byte;
static volatile struct {
  int v;
} whole;
static volatile union {
  int all;
  char bytes[4];
} parts;

int main(void) {
  for (int k = 0; k < 3; ++k) {
    byte.v = 0;
    whole.v = 0;
    parts.bytes[k] = 0;
  }
  parts.bytes[3] = 0;
  parts.bytes[1] = 0;
  byte.v = 1;
  whole.v = 2;
  byte.v = 0;
  return 0;
}
