namespace rw {

namespace {
struct Hidden {
  int hidden(); // "namespace other {" says nothing here
};

int counted = 0;
} // namespace

static void differs(int Other);
static void differs(int Other) { static int Local; }
static const char *const Table[] = {"a", "b"};

static long twice(const std::map<int, long> &M, int N = 0) { return M.at(N); }

namespace other {
static int apart() { return 1; }
} // namespace other

int everybodys(int N) { return N; }
class Shown {};

} // namespace rw
