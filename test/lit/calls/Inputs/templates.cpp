#include <algorithm>
#include <map>
#include <string>
#include <vector>
static volatile int sink;
int main() {
  std::vector<int> all{5, 3, 9, 1};
  std::sort(all.begin(), all.end(), [](int a, int b) { return a < b; });
  std::map<std::string, std::vector<int>> lists;
  lists["a"] = all;
  lists["b"].push_back(2);
  for (auto &[name, list] : lists)
    sink = int(name.size() + list.size());
}
