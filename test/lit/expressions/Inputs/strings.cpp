#include <string>
struct item {
  std::string name;
};
static volatile int sink;
static item *freed;

__attribute__((noinline)) static void fill(unsigned long value) {
  volatile unsigned long words[32];
  for (int i = 0; i < 32; ++i)
    words[i] = value;
}

__attribute__((noinline)) static int use(int n) {
  std::string made("made");
  return n + (int)made.size();
}

__attribute__((noinline)) static void look(item *i) { sink = 1; }

int main() {
  // Where it is to be made there are numbers.
  fill(0x123456789abc);
  sink = use(3);
  freed = new item{std::string(20, 'q')};
  look(freed);
  // The allocator writes into what it was given back.
  delete freed;
  look(freed);
}
