// Containers whose members and elements change.
#include <string>
#include <vector>
struct Cart {
  std::vector<int> Items;
  std::string Owner;
  int Total;
};
std::vector<int> Prices;
Cart Mine;
__attribute__((noinline)) void work(Cart &C) {
  C.Items.push_back(4);
  C.Items[1] = 77; // element
  C.Owner = "bob";
  C.Total += 5; // total
}
int main() {
  Prices.push_back(1);
  Prices.push_back(2);
  Prices[1] = 42; // price
  Mine.Items = Prices;
  work(Mine);
  return Prices[1] - 42;
}
