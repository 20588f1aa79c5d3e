int file2(int v);
struct B {
  int x = 1, bx = 2;
};
struct D : B {
  int x = 44;
  int get() { return x; }
};
struct Own : B {
  union {
    int bx = 6;
    unsigned ubx;
  };
};
struct Other {
  int x = 5;
};
struct Both : B, Other {
  static int made;
};
int Both::made = 9;

namespace a {
int same = 11;
namespace b {
int same = 13;
}
inline namespace v2 {
int fresh = 21;
}
namespace {
int hidden = 31;
int ofHidden() { return hidden; }
} // namespace
int f(int v) { return v + same + ofHidden() + fresh; }
} // namespace a
namespace c {
long same = 12;
int fresh = 22;
int hidden = 32;
int f(int v) { return v - (int)same; }
struct K {
  static int same;
  int g(int v) { return v + same; }
};
int K::same = 15;
struct L : K {
  int h(int v) { return v * same; }
};
int used(int v) {
  using namespace a::b;
  using a::v2::fresh;
  return v + fresh;
}
} // namespace c
namespace {
int same = 77;
}
int use(D *d, Own *o, Both *m) {
  return d->x + same + o->bx + m->Other::x + m->made;
}

int main() {
  D d;
  Own o;
  Both m;
  c::hidden++, a::same++, a::b::same++, c::same++, same++, c::K::same++;
  c::L l;
  return use(&d, &o, &m) + c::f(3) + d.get() + a::f(1) + l.h(2) + l.g(2) +
         c::used(1) + file2(1);
}
