// Each function counts how often it is called, and the compiler inlines some of
// them, in part, or several times.
#define COUNTED __attribute__((noinline, used))
volatile int sink;
namespace shop {
namespace {
volatile int hiddenCalls, mulCalls;
int hidden(int x) {
  ++hiddenCalls;
  return x * 5 + sink;
}
struct Local {
  int by;
  int mul(int x) const {
    ++mulCalls;
    return by * x;
  }
};
} // namespace
} // namespace shop
volatile int scoreCalls, normCalls, partialCalls, heavyCalls, twiceCalls;
static inline int norm(int x) {
  ++normCalls;
  return x < 0 ? -x : x;
}
// norm() begins where score() does, and has an x of its own.
COUNTED int score(int w, int x) {
  int r = norm(w);
  ++scoreCalls;
  return r + x;
}
// On one line, in which a loop begins that has only what is inlined.
// clang-format off
COUNTED int heavy(int x) { int r = 0; for (int i = 0; i < (x & 3); ++i) r += norm(i) ^ x; ++heavyCalls; return r; }
// clang-format on
// Its beginning is inlined, its rest is called.
int partial(int x) {
  ++partialCalls;
  if (x & 1)
    return 0;
  return heavy(x) + heavy(x + 1) + heavy(x + 2);
}
int (*volatile pointer)(int) = partial;
template <class T> T twice(T x) {
  ++twiceCalls;
  return x + x;
}
int main() {
  int n = 0;
  for (int i = 0; i < 5; ++i)
    n += shop::hidden(i) + shop::Local{i}.mul(3) + twice(i);
  for (int i = -3; i < 4; ++i)
    n += score(i, i + 10) + partial(i) + pointer(i);
  sink = n;
}
