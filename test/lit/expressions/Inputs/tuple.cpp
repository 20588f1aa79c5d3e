#include <string>
#include <tuple>

std::tuple<int, std::string, char> triple;

static int look() { return std::get<0>(triple); }

int main() {
  triple = {1, "two", '3'};
  return look() - 1;
}
