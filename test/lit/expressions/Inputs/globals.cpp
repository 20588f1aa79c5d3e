// Globals of types whose debug information LLDB cannot parse.
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>
namespace bank {
struct Account {
  int Id;
  std::string Owner;
};
struct Savings : Account {
  double Rate;
};
} // namespace bank
static std::vector<bank::Account> Accounts;
static std::map<std::string, int> ByName;
static std::unordered_map<int, int> States;
static std::set<int> Ids;
static std::list<std::string> Names;
static std::variant<int, std::string> Var;
static std::optional<bank::Account> Opt;
static std::unique_ptr<bank::Savings> Sav;
static std::shared_ptr<bank::Account> Shared;
static std::function<int(int)> Fn;

static void add(int I) {
  Accounts.push_back({I, "owner" + std::to_string(I)});
  ByName[Accounts.back().Owner] = I;
  States[I] = I;
  Ids.insert(I);
  Names.push_back("n");
  Var = I;
  Opt = Accounts.back();
  Sav = std::make_unique<bank::Savings>();
  Shared = std::make_shared<bank::Account>();
  Fn = [](int N) { return N; };
}

int main() {
  add(1);
  add(2);
  return Fn(0);
}
