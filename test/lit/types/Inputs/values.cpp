// Values of C++: classes, references, members of *this.
#include <cstdint>

namespace shop {
enum class Size : unsigned char { Small, Medium, Large };
struct Item {
  int Price;
  Size Is;
  static int Count;
};
int Item::Count = 3;
Item Stock[2] = {{-5, Size::Large}, {7, Size::Small}};
} // namespace shop

struct Shape {
  int Id = 4;
  virtual ~Shape() {}
  virtual int area(int Times) const = 0;
};
struct Named {
  const char *Name = "circle";
};
template <class T, int N> struct Stack {
  T Items[N];
  int Depth = 0;
  __attribute__((noinline)) void push(const T &V) {
    Items[Depth] = V; // pushed
    ++Depth;
  }
};
class Circle : public Shape, public Named {
  int Radius;
  int &Shared;
  Stack<char, 8> Marks;

public:
  Circle(int R, int &S) : Radius(R), Shared(S) { Marks.push('x'); }
  __attribute__((noinline)) int area(int Times) const override {
    int Result = Times * Radius * Radius;
    Shared += Result; // computed
    return Result;
  }
};

int Total = 100;
char32_t Wide = U'\u20ac';
char16_t Narrow[4] = u"hey";
bool Switches[3] = {true, false, true};
int (*Function)(const Circle &, const shop::Item &);
int shop::Item::*Member = nullptr;

__attribute__((noinline)) static int use(const Circle &C, const shop::Item &I) {
  int Sum = C.area(2) + I.Price;
  Total -= Sum; // used
  return Sum;
}

template <class T> static void look(const T &Object) {
  static volatile unsigned char Sink;
  for (unsigned I = 0; I < sizeof(T); ++I)
    Sink = reinterpret_cast<const volatile unsigned char *>(&Object)[I];
}

int main() {
  look(shop::Stock), look(shop::Item::Count), look(Wide), look(Narrow);
  look(Switches), look(Member);
  Circle C(3, Total);
  Function = use;
  return Function(C, shop::Stock[1]) ? 0 : 1;
}
