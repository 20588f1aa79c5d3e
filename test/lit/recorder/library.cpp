// What programs of C++ do all day.
#include <algorithm>
#include <any>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <iomanip>
#include <iostream>
#include <latch>
#include <locale>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <typeinfo>
#include <unordered_map>
#include <variant>
#include <vector>
using namespace std;
struct Base {
  virtual ~Base() = default;
  virtual int f() const { return 1; }
};
struct Derived : Base {
  int f() const override { return 2; }
};
struct Error : runtime_error {
  using runtime_error::runtime_error;
};
static int deep(int N) {
  struct G {
    ~G() {}
  } g;
  if (!N)
    throw Error("deep");
  return deep(N - 1) + 1;
}
int main() {
  string S;
  while (getline(cin, S))
    cout << "[" << S << "]" << endl;
  map<string, int> M{{"b", 2}, {"a", 1}};
  for (auto &[K, V] : M)
    cout << K << V << ' ';
  cout << '\n';
  try {
    deep(20);
  } catch (const exception &E) {
    cout << "caught " << E.what() << ' ' << (typeid(E) == typeid(Error))
         << '\n';
  }
  try {
    throw_with_nested(logic_error("outer"));
  } catch (...) {
    cout << "nested\n";
  }
  try {
    vector<int>(3).at(5);
  } catch (const out_of_range &E) {
    cout << E.what() << '\n';
  }
  try {
    dynamic_cast<Derived &>(*make_unique<Base>());
  } catch (const bad_cast &) {
    cout << "bad cast\n";
  }
  try {
    new char[size_t(-1) / 4];
  } catch (const bad_alloc &E) {
    cout << "bad alloc\n";
  }
  cout << setw(8) << setfill('*') << hex << 255 << dec << ' ' << fixed
       << setprecision(3) << 3.14159 << ' ' << boolalpha << true << '\n';
  cout << regex_replace("one two", regex("(\\w+) (\\w+)"), "$2 $1") << '\n';
  variant<int, string> V = "text"s;
  cout << get<string>(V) << ' ' << any_cast<int>(any(5)) << '\n';
  mt19937 R(7);
  cout << R() % 100 << ' ' << uniform_int_distribution<>(1, 6)(R) << '\n';
  mutex Mx;
  condition_variable Cv;
  queue<int> Q;
  bool Done = false;
  long Sum = 0;
  atomic<int> At{0};
  thread Prod([&] {
    for (int I = 0; I < 500; ++I) {
      {
        lock_guard L(Mx);
        Q.push(I);
      }
      Cv.notify_one();
    }
    lock_guard L(Mx);
    Done = true;
    Cv.notify_all();
  });
  vector<thread> Ts;
  for (int T = 0; T < 3; ++T)
    Ts.emplace_back([&] {
      unique_lock L(Mx);
      while (true) {
        Cv.wait(L, [&] { return !Q.empty() || Done; });
        if (Q.empty())
          return;
        Sum += Q.front();
        Q.pop();
        ++At;
      }
    });
  Prod.join();
  for (auto &T : Ts)
    T.join();
  cout << "sum " << Sum << ' ' << At << '\n';
  auto F = async(launch::async, [] {
    this_thread::sleep_for(2ms);
    return 42;
  });
  F.wait_for(100us);
  cout << F.get() << '\n';
  promise<int> P;
  auto PF = P.get_future();
  thread([&] {
    P.set_exception(make_exception_ptr(Error("in thread")));
  }).join();
  try {
    PF.get();
  } catch (const Error &E) {
    cout << E.what() << '\n';
  }
  barrier B(4, [&]() noexcept { ++At; });
  latch La(4);
  counting_semaphore<2> Sem(2);
  shared_mutex Sh;
  int W = 0;
  {
    vector<jthread> Js;
    for (int T = 0; T < 4; ++T)
      Js.emplace_back([&](stop_token) {
        for (int I = 0; I < 50; ++I) {
          B.arrive_and_wait();
          Sem.acquire();
          {
            shared_lock L(Sh);
            (void)W;
          }
          {
            unique_lock L(Sh);
            ++W;
          }
          Sem.release();
        }
        La.count_down();
      });
    La.wait();
  }
  cout << W << ' ' << At << '\n';
  timed_mutex Tm;
  Tm.lock();
  thread([&] { cout << "timed " << Tm.try_lock_for(1ms) << '\n'; }).join();
  Tm.unlock();
  once_flag Of;
  for (int I = 0; I < 3; ++I)
    call_once(Of, [] { cout << "once\n"; });
  thread_local int Tl = 1;
  thread([&] { Tl = 5; }).join();
  cout << Tl << '\n';
  recursive_mutex Rm;
  {
    lock_guard A(Rm);
    lock_guard C(Rm);
  }
  atomic<int> Aw{0};
  thread Wt([&] {
    Aw.wait(0);
    cout << "waited\n";
  });
  Aw = 1;
  Aw.notify_one();
  Wt.join();
  cout << "steady "
       << (chrono::steady_clock::now() > chrono::steady_clock::time_point{})
       << '\n';
  ostringstream Os;
  Os.imbue(locale::classic());
  Os << 1234567.5;
  cout << Os.str() << '\n';
  try {
    locale("xx_YY");
  } catch (const runtime_error &E) {
    cout << "locale\n";
  }
  error_code Ec;
  cout << filesystem::exists("/no/such", Ec) << '\n';
  set_terminate([] {
    cout << "terminate" << endl;
    _Exit(66);
  });
  throw Error("uncaught");
}
