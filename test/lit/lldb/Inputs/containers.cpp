#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

int sum(std::tuple<int, long> both, std::vector<int> &list, std::string text,
        std::unique_ptr<int> one, std::shared_ptr<int> shared,
        std::optional<int> perhaps, std::variant<int, long> either,
        std::map<int, int> map, int x) {
  return x + 1;
}

int main() {
  std::vector<int> list;
  return sum({1, 2}, list, "", {}, {}, {}, 1, {}, 3);
}
