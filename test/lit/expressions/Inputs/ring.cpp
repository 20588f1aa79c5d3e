/* Names that are found, nearly found, and not found. */
#include <cstdio>
namespace buf {
template <typename T> struct Ring {
  static int total;
  static const int limit = 3;
  T items[4];
  int n = 0;
  void push(T v) {
    items[n++ & 3] = v;
    ++total;
  }
};
template <typename T> int Ring<T>::total = 0;
} // namespace buf
struct Counter {
  static long hits;
  static int step(int k);
};
long Counter::hits = 5;
int Counter::step(int k) {
  hits += k;
  return (int)hits;
}
static int helper_value = 3;
int main() {
  buf::Ring<int> a;
  buf::Ring<double> b;
  for (int i = 0; i < 5; ++i) {
    a.push(i);
    b.push(i);
    Counter::step(i);
    helper_value++; /* HERE */
  }
  std::printf("%d %d %ld\n", buf::Ring<int>::total, buf::Ring<double>::total,
              Counter::hits);
}
