/* Complex numbers, and bit-fields in decimal. */
#include <complex.h>
enum kind { NONE, SOME = 4 };
struct {
  unsigned small : 3;
  int negative : 5;
  _Bool flag : 1;
  enum kind is : 3;
} bits;
double _Complex wide;
float _Complex narrow;
_Complex int whole;
struct {
  double _Complex z[2];
} both;
__attribute__((noinline)) void work(int i) {
  bits.small = 7;
  bits.negative = -i;
  bits.flag = 1;
  bits.is = SOME;
  wide = i + 2.5 * I;
  narrow = i - 1.5f * I;
  __real__ whole = i;
  __imag__ whole = -i;
  both.z[0] = 0;
  both.z[1] = wide;
}
__attribute__((noinline)) void done(void) { __asm__ volatile(""); }
int main(void) {
  work(2);
  done();
  return 0;
}
