/* Variables of every kind of integer, changed between the visits of a place. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { NONE, SOME = 7, MANY = 1000 };
enum sign { BELOW = -3, ABOVE = 3 };
typedef const volatile unsigned short odd;
struct inner {
  signed char a;
  unsigned short b[3];
  int field : 5;
};
struct fields {
  unsigned low : 3;
  int middle : 5;
  unsigned long long wide : 40;
  bool is : 1;
  enum kind kind : 11;
  enum sign sign : 3;
  unsigned char narrow : 4;
  unsigned all : 32;
  long long across : 37;
};
struct outer {
  int id;
  union {
    uint32_t word;
    uint8_t bytes[4];
  };
  struct inner in[2];
  struct outer *next;
};

signed char sc = -1;
unsigned char uc = 200;
char plain = (char)0x9c;
short s = -300;
unsigned short us = 60000;
int i = -5;
unsigned u = 4000000000u;
long l = -7;
unsigned long ul = ~0ul - 3;
long long ll = -1ll << 40;
unsigned long long ull = 1ull << 63;
bool flag;
enum kind kind = SOME;
enum sign sign = BELOW;
size_t size = 3;
static int hidden = 40;
odd aliased = 65535;
int table[4] = {1, -1, 1 << 30, 0};
short matrix[2][3] = {{1, -2, 3}, {-4, 5, -6}};
struct outer second = {.id = 2, .word = 0x80ff0102};
struct outer first = {.id = 1, .next = &second};
struct outer *here = &first;
struct fields fields = {.low = 6, .middle = -9, .sign = BELOW, .across = -1};
struct fields *to = &fields;
int *points = &table[1];
int shadowed = 5;
int beside = 6;
float real = 0.5f;

__attribute__((noinline)) static int other(int beside) { return beside + 1; }

__attribute__((noinline)) static void visit(int step) {
  int shadowed = step * 3;
  i += shadowed;
}

int main(void) {
  /* The trace tells what is read and written. */
  volatile unsigned char *all[] = {
      (void *)&sc,     (void *)&uc,   (void *)&plain, (void *)&s,
      (void *)&us,     (void *)&i,    (void *)&u,     (void *)&l,
      (void *)&ul,     (void *)&ll,   (void *)&ull,   (void *)&flag,
      (void *)&kind,   (void *)&sign, (void *)&size,  (void *)&hidden,
      (void *)&aliased};
  const unsigned sizes[] = {
      sizeof(sc),  sizeof(uc),   sizeof(plain), sizeof(s),     sizeof(us),
      sizeof(i),   sizeof(u),    sizeof(l),     sizeof(ul),    sizeof(ll),
      sizeof(ull), sizeof(flag), sizeof(kind),  sizeof(sign),  sizeof(size),
      sizeof(hidden), sizeof(aliased)};
  unsigned random = 12345;
  for (unsigned v = 0; v < sizeof(all) / sizeof(*all); ++v)
    for (unsigned b = 0; b < sizes[v]; ++b)
      all[v][b] = all[v][b];
  for (int step = 0; step < 24; ++step) {
    visit(step);
    /* One thing changes at a time, and some are not known until then. */
    random = random * 1103515245u + 12345u;
    unsigned v = (random >> 16) % (sizeof(all) / sizeof(*all));
    if (all[v] == (void *)&flag)
      flag = !flag;
    else if (all[v] == (void *)&kind)
      kind = kind == SOME ? MANY : SOME;
    else if (all[v] == (void *)&sign)
      sign = -sign;
    else
      all[v][(random >> 24) % sizes[v]] ^= (unsigned char)(random >> 8);
    table[step & 3] -= step;
    matrix[step & 1][step % 3] *= -3;
    first.in[step & 1].b[step % 3] = (unsigned short)(random >> 9);
    second.in[1].a = (signed char)(random >> 10);
    second.bytes[step & 3]++;
    second.in[0].field = step;
    fields.low += step;
    fields.middle = (int)(random >> 11);
    fields.wide += 0x123456789ull * random;
    fields.is = random >> 13 & 1;
    fields.kind = step & 1 ? MANY : SOME;
    fields.sign = step & 2 ? ABOVE : BELOW;
    fields.narrow ^= random >> 14;
    to->all = random << 3;
    to->across -= 1ll << (step + 10);
    if (step == 9)
      here = &second;
    if (step == 12)
      points = &table[2];
    i = other(i);
  }
  return shadowed + beside + (int)real + here->id + points[-1];
}
