// Names of which several variables are called that: at each "// here" the one
// that is meant has the value of `seen`.
int seen;
int same = 1;
static int twice = 2;
extern void theirs(int step);

namespace a {
int same = 12;
struct Deep {
  int part[3];
} deep = {{7, 8, 9}};
} // namespace a
a::Deep deep = {{70, 80, 90}};

namespace c {
int same = 78;
namespace inner {
__attribute__((noinline)) void nested(int step) {
  seen = same;
  same += step; // here same
}
} // namespace inner
__attribute__((noinline)) void plain(int step) {
  seen = same;
  same += step; // here same
  seen = ::same;
  ::same -= step; // here ::same
  seen = a::same;
  a::same += step; // here a::same
}
} // namespace c

namespace {
int hidden = 5;
struct Own {
  int x, y;
} own = {50, 60};
} // namespace
namespace d {
int hidden = 6;
struct Own {
  int x, y;
} own = {51, 61};
__attribute__((noinline)) void named(int step) {
  seen = hidden;
  hidden += step; // here hidden
  seen = own.y;
  own.y -= step; // here own.y
}
} // namespace d
__attribute__((noinline)) void unnamed(int step) {
  seen = hidden;
  hidden += 2 * step; // here hidden
  seen = own.y;
  own.y += 3 * step; // path own.y
}

struct Box {
  static int same;
  int own;
  __attribute__((noinline)) void method(int step) {
    seen = same;
    same += step; // here same
    seen = own;
    own += step; // here own
  }
  __attribute__((noinline)) static void shared(int step) {
    seen = same;
    same -= 3 * step; // here same
  }
};
int Box::same = 91;
struct Sub : Box {
  __attribute__((noinline)) void derived(int step) {
    seen = same;
    same += step; // here same
  }
};

namespace q {
using a::same;
__attribute__((noinline)) void declared(int step) {
  seen = same;
  same += step; // here same
  seen = a::deep.part[1];
  a::deep.part[1] += step; // here a::deep.part[1]
}
} // namespace q

static inline __attribute__((always_inline)) void inlined(int step) {
  seen = twice;
  twice += step; // here twice
  theirs(step);
}
namespace c {
__attribute__((noinline)) void around(int step) {
  int same = 300 + step;
  inlined(step);
  seen = same;
  same += step; // here same
  seen = deep.part[1];
  deep.part[1] += step; // here deep.part[1]
  seen = same;
}
} // namespace c

int main() {
  Sub S;
  S.own = 4;
  for (int step = 1; step < 5; ++step) {
    c::plain(step), c::inner::nested(step), c::around(step);
    d::named(step), unnamed(step), q::declared(step);
    S.method(step), S.derived(step), Box::shared(step);
  }
  return same & 1;
}
