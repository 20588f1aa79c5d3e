// Bit-fields with a gap between them, and a string that is not there yet.
#include <string>
struct Gaps {
  unsigned a : 3;
  long long wide : 37;
  long long far : 40;
} gaps;

__attribute__((noinline)) static unsigned size(const std::string &by) {
  std::string text = by + by;
  return unsigned(text.size());
}

int main() {
  gaps = {3, 1234567890123 >> 6, -5};
  return size("ab") != 4;
}
