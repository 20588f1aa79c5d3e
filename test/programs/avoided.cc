// Linked: -static -g, -O0 and -O2. Functions of std:: with lines, one of them inlined,
// that call one of the program: a step goes over them. One jumps to code without lines.
#include <string.h>

#define CALLED __attribute__((noinline))

char buffer[64];

CALLED int own(int n) {
  buffer[n & 31] = n;
  return n + 3;
}

namespace std {
template <typename F> CALLED int apply(F f, int n) {
  int r = f(n);
  return r + 1;
}
CALLED int twice(int n) {
  buffer[n & 7] = n;
  return 2 * n;
}
inline __attribute__((always_inline)) int inlined(int n) {
  int r = n * n;
  return r ^ (r >> 3);
}
} // namespace std

CALLED void *clear(int n) {
  buffer[1] = n;
  return memset(buffer + 8, n, n & 31);
}

int main(int argc, char **) {
  int total = own(argc);
  total += std::twice(total);
  total += std::apply(own, total);
  total += own(std::twice(total));
  total += std::inlined(total);
  total += clear(total) != nullptr;
  return total & 1;
}
