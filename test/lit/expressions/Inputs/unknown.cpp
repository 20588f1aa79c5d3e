// Nothing is read before work() has written it.
namespace ns {
int flag;
struct item {
  static int hits;
  int m;
  int *q;
  int work(int k);
};
int item::hits;
} // namespace ns

struct pair {
  int n;
  int a[4];
};
typedef int (*function)(int);
int flag, arr[8];
static int hidden;
static volatile long wide;
static double real;
static bool truth;
static function callback;
static int *pointer;
pair box;
ns::item object;
static const int known[4] = {5, 6, 7, 8};
static const pair pairs[2] = {{1, {}}, {2, {}}};

int ns::item::work(int k) {
  int &ref = ::flag;
  int *p = arr;
  pair *b = &box;
  hits = m = ns::flag = ::flag = hidden = k;
  q = pointer = p + k;
  wide = k;
  real = k;
  truth = k;
  callback = 0;
  arr[k] = k;
  b->n = b->a[k] = ref;
  return known[k] + pairs[k & 1].n;
}

int main() {
  int all = 0;
  for (int k = 0; k < 4; ++k)
    all += object.work(k);
  return all == 0;
}

#ifdef BARE
extern "C" void _start() {
  main();
#ifdef __aarch64__
  asm volatile("mov x8, #93\n svc #0");
#else
  asm volatile("mov r7, #1\n svc #0");
#endif
}
#endif
