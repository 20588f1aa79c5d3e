// Containers whose elements an IDE asks about.
#include <map>
#include <string>
#include <vector>

struct Order {
  int id;
  double price;
  int sizes[2];
};
struct Shop {
  std::map<int, double> days;
  std::vector<Order> orders;
  std::vector<std::vector<int>> table;
};
static Shop shop;
static int never(int n) {
  if (n > 100)
    return 1; // never
  return 0;
}

__attribute__((noinline)) static int look(std::vector<int> &v) {
  return v[1]; // look
}

int main() {
  std::vector<int> v;
  for (int i = 0; i < 4; i++) {
    v.push_back(i * i);
    shop.days[i % 3] += i;
    shop.orders.push_back({i, i * 1.5, {i, -i}});
    shop.table.push_back({i, 10 * i});
  }
  return look(v) + never(2);
}
