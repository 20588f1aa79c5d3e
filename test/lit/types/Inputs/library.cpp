// Strings, containers and their kin of the C++ library; members through their
// operators.
#include <array>
#include <atomic>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Order {
  int Units;
  std::string Name;
};

namespace bank {
struct Account {
  std::string Owner;
  long Balance;
  static int Live;
  unsigned Closed : 1, Kind : 3;
  union {
    int Number;
    float Share;
  };
  __attribute__((noinline)) void post(long Amount) {
    Balance += Amount;
    ++Live; // posted
  }
};
int Account::Live = 2;
struct Base {
  int X = 1;
};
struct Derived : Base {
  int X = 2; // hides the other
  std::vector<Derived> Children;
};
template <class T> struct Ring {
  T Buf[3];
  std::optional<T> Last;
};
static const int Limit = 77;
} // namespace bank

std::string Short = "bob", Long(30, 'x'), Empty, Zeros("a\0b", 3);
std::string Longest(500, 'y');
std::u16string Wide = u"h\u20ac";
const char SomeText[] = "some text";
std::string_view View(SomeText, 4);
std::vector<int> Ints = {1, 2, 3, 4, 5}, None, Many(1000, 7);
std::vector<std::string> Names = {"ann", "a name that is rather long, bob"};
std::vector<bool> Switches = {true, false, true};
std::vector<std::vector<short>> Nested = {{1}, {}, {2, 3}};
std::array<double, 3> Three = {0.5, 1.5, -2};
std::deque<int> Queue;
std::list<char> Letters = {'a', 'b'};
std::forward_list<int> Single = {7, 8};
std::map<std::string, int> Ages = {{"bob", 41}, {"ann", 30}, {"cy", 7}};
std::multimap<int, bank::Base> Multi = {{1, {}}, {1, {}}};
std::set<int> Set = {5, 1, 3};
std::unordered_map<int, std::string> Table = {{1, "one"}};
std::unordered_set<std::string> Words = {"word"};
std::pair<int, std::string> Pair = {1, "one"};
std::tuple<int, std::string, double> Tuple = {1, "two", 3.5};
std::optional<int> Some = 5, Nothing;
std::optional<std::string> Text = "text";
std::variant<int, std::string> Var = "var", Number = 12;
std::unique_ptr<bank::Base> Unique = std::make_unique<bank::Base>(), NoOne;
std::shared_ptr<int> Shared = std::make_shared<int>(4), Second = Shared;
std::weak_ptr<int> Weak = Shared;
std::stack<int> Stack;
std::atomic<int> Atomic{9};
bank::Derived Family;
std::vector<bank::Account> Accounts;
bank::Ring<Order> Recent;
thread_local int Own = 5;

__attribute__((noinline)) static int use(bank::Account &A, int *P,
                                         const bank::Base &B) {
  A.post(5);
  return *P + B.X + A.Number + bank::Limit + Own; // used
}

/// What nothing reads a trace does not tell.
template <class... T> static void look(const T &...Objects) {
  static volatile unsigned char Sink;
  auto One = [](const auto &Object) {
    for (unsigned I = 0; I < sizeof(Object); ++I)
      Sink = reinterpret_cast<const volatile unsigned char *>(&Object)[I];
  };
  (One(Objects), ...);
}

int main() {
  look(View, Three, Some, Nothing, Number, Atomic, Recent, SomeText);
  for (int I = 0; I < 300; ++I)
    Queue.push_back(I);
  for (int I = 0; I < 295; ++I)
    Queue.pop_front();
  Stack.push(1);
  Family.Children.push_back(Family);
  Family.Children[0].X = 3;
  Accounts.push_back({"alice", 10, 0, 3, {5}});
  Accounts.push_back({"robert the great and long", -20, 1, 2, {6}});
  Recent.Buf[0] = {4, "four"};
  Recent.Last = Recent.Buf[0];
  Short = "robert";
  return use(Accounts[1], &Accounts[0].Number, Family) == 0;
}
