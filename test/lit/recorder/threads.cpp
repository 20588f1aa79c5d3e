#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
struct E : std::runtime_error {
  int n;
  E(int n) : runtime_error("e" + std::to_string(n)), n(n) {}
};
static int thrower(int n) {
  std::string guard(100, 'x');
  if (n == 0)
    throw E(42);
  return thrower(n - 1) + guard.size();
}
int main() {
  try {
    thrower(10);
  } catch (const E &e) {
    std::cout << "caught " << e.what() << "\n";
  }
  std::mutex m;
  std::map<int, std::string> all;
  std::vector<std::thread> ts;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; i++)
    ts.emplace_back([&, i] {
      for (int k = 0; k < 50; k++) {
        std::lock_guard<std::mutex> g(m);
        all[k * 4 + i] = std::to_string(k);
        sum += k;
      }
      try {
        if (i == 2)
          thrower(3);
      } catch (E &) {
        sum += 1000;
      }
    });
  for (auto &t : ts)
    t.join();
  auto f = std::async(std::launch::async, [] {
    thrower(1);
    return 1;
  });
  try {
    f.get();
  } catch (const std::exception &e) {
    std::cout << "future " << e.what() << "\n";
  }
  std::cout << all.size() << " " << sum << "\n";
  return all.size() == 200 ? 7 : 1;
}
