// Bit-fields, and an exception.
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Account {
  const char *name;
  int balance;
  unsigned short flags;
  unsigned open : 1;
  unsigned level : 5;
};
struct Bank {
  std::vector<std::unique_ptr<Account>> accounts;
  std::map<std::string, int> numbers;
};
Account first = {"ann", -1157, 9, 1, 7};
Bank bank;

__attribute__((noinline)) static int look(Account &a) {
  a.level++;
  if (a.level > 8)
    throw 3;
  return a.balance; // look
}
__attribute__((noinline)) static int ask(int n) { return look(first) + n; }

int main() {
  bank.accounts.push_back(std::make_unique<Account>(first));
  bank.numbers["ann"] = 1;
  int sum = ask(1);
  try {
    sum += ask(2);
  } catch (int n) {
    sum += n;
  }
  return sum == 0;
}
