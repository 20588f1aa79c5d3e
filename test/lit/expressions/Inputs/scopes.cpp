// Names that mean another thing in some functions than in others.
int depth = 100, level = 200, total = 300, width = 400, local = 500,
    captured = 600, caught = 700, only = 800;
static int twice = 8;
extern int theirs();

struct Base {
  int depth = 1;
};
struct Box : Base {
  int level = 2;
  static int total;
  __attribute__((noinline)) int method(int step) {
    level += step;
    depth -= level;
    return level + depth;
  }
};
int Box::total = 3;

namespace inner {
int width = 4;
__attribute__((noinline)) int spaced(int step) {
  width += step;
  return width;
}
} // namespace inner

template <int local> __attribute__((noinline)) int templated(int step) {
  return local + step;
}

__attribute__((noinline)) int plainly(int step) {
  int caught = -step;
  if (step & 1) {
    static int local = 6;
    local += step;
    return local + caught;
  }
  return caught;
}

int main() {
  Box B;
  int sum = 0;
  int captured = 0;
  auto closure = [&captured](int step) __attribute__((noinline)) {
    captured -= step;
    return captured;
  };
  for (int step = 0; step < 14; ++step) {
    sum += B.method(step) + inner::spaced(step) + templated<5>(step) +
           plainly(step) + closure(step) + theirs();
    depth ^= step, level -= 60 * step, Box::total += step, total -= 4 * step;
    width += 50 - 20 * step, local -= 90 * step, caught ^= 1 << step;
    captured += 9, twice *= -1, only -= 150 * (step & 3);
    ::captured = -::captured;
  }
  return sum + only;
}
