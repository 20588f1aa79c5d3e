// A queue of jobs that containers hold.
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

enum Kind { Wash = 1, Iron, Fold };
namespace store {
enum Level { Low = 1, High };
enum class Color { Red, Green };
} // namespace store
struct Job {
  const char *name;
  int cost;
  unsigned tries : 3;
  signed level : 6;
  double weight;
  float rate;
  Kind kind;
  bool done;
  signed char small;
};

struct Pool {
  std::vector<Job> slots;
  std::vector<std::unique_ptr<Job>> owned;
  std::deque<int> order;
  std::vector<std::vector<int>> table;
  long total = 0;
  __attribute__((noinline)) void run(unsigned slot) {
    Job &j = slots[slot];
    j.tries++;
    total += j.cost + owned[slot]->cost;
    j.done = total % 3 == 0;
    j.level = -int(slot) - 1;
    auto note = [this](unsigned k) __attribute__((noinline)) {
      shelf = k ? store::High : store::Low;
      color = store::Color(k & 1); // the lambda's line
    };
    note(slot);
  }
  store::Level shelf = store::Low;
  store::Color color = store::Color::Red;
};
Pool pool;

int main() {
  static const char *const names[] = {"wash", "iron", "fold"};
  for (int i = 0; i < 3; ++i) {
    pool.slots.push_back({names[i], 20 * i - 10, 0, 0, i * 1.5, i * 0.25f,
                          Kind(i + 1), false, (signed char)(i - 2)});
    pool.owned.push_back(std::make_unique<Job>(pool.slots[i]));
    pool.order.push_back(i);
    pool.table.push_back({i, -i, 10 * i});
  }
  for (int round = 0; round < 7; ++round)
    for (int i = 0; i < 3; ++i)
      pool.run((i + round) % 3);
  return pool.total == 0;
}
