#include <array>
#include <cstdlib>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct point {
  char tag;
  int x;
  double y;
};

std::map<std::string, int> prices;
std::map<int, point> places;
std::multimap<int, int> many;
std::set<int> numbers_seen;
std::multiset<std::string> names;
std::unordered_map<int, std::string> hashed;
std::unordered_set<std::string> hashed_set;
std::unordered_multimap<int, int> hashed_many;
std::vector<int> list;
std::vector<bool> bits;
std::vector<point> points;
std::deque<int> queue;
std::list<int> chain;
std::forward_list<int> forward_chain;
std::string text, long_text;
std::optional<int> perhaps, never_asked;
std::variant<int, double, std::string> either;
std::map<int, int> empty_map;

struct shop {
  std::map<int, std::string> stock;
  std::unordered_map<int, int> hits;
} * its;

static int look(std::map<std::string, int> &m, std::set<int> *s,
                std::map<int, int> &raw, std::vector<int> *raw_list,
                std::optional<int> &raw_perhaps) {
  return int(m.size() + s->size());
}

int main() {
  prices["one"] = 1;
  prices["two"] = 2;
  places[5] = {'a', 5, 5.5};
  many.insert({1, 2});
  many.insert({1, 3});
  numbers_seen = {3, 1, 2};
  names.insert("n");
  names.insert("n");
  hashed[1] = "one";
  hashed_set.insert("x");
  hashed_many.insert({1, 1});
  list = {1, 2, 3};
  bits = {true, false, true};
  points.push_back({'a', 1, 2.0});
  queue = {1, 2};
  queue.push_front(0);
  chain = {1, 2};
  forward_chain = {1, 2};
  text = "short";
  long_text = "a text that is longer than its buffer is";
  perhaps = 5;
  either = 2.5;
  its = new shop;
  its->stock[1] = "screws";
  its->hits[1] = 1;
  // Nobody has ever written there.
  char *room = static_cast<char *>(std::malloc(1 << 16)) + 1024;
  return look(prices, &numbers_seen,
              *reinterpret_cast<std::map<int, int> *>(room),
              reinterpret_cast<std::vector<int> *>(room + 1024),
              *reinterpret_cast<std::optional<int> *>(room + 2048)) == 0;
}
