// Functions whose mangled names have template arguments.
#include <string>

namespace n {
__attribute__((noinline)) size_t text(const std::string &S) { return S.size(); }
template <class T> __attribute__((noinline)) T twice(T A) { return A * 2; }
} // namespace n

struct Bank {
  __attribute__((noinline)) size_t open(const std::string &Name);
  size_t Opened = 0;
};

size_t Bank::open(const std::string &Name) { return Opened += Name.size(); }

int main(int Count, char **) {
  Bank B;
  return int(n::text("abc") + B.open("de")) + n::twice(Count);
}
