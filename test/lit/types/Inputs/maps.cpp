// Maps, which have keys, and other containers, which have none.
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
template <typename T, int N> struct Table {
  T rows[N];
  static int total;
};
template <typename T, int N> int Table<T, N>::total = N;
struct Point {
  int x, y;
};
enum class Color { Red, Green = 7 };
std::map<int, int> Ages;
std::unordered_map<unsigned, Point> Hashed;
std::set<int> Seen;
std::list<int> Row;
std::vector<int> Values;
std::map<std::string, int> Named;
std::map<Color, long> ByColor;
std::map<char, Point> ByLetter;
Table<int, 4> four;
Table<unsigned char, 2> two;
__attribute__((noinline)) int work(int i) {
  Ages[i * 10] = i;
  Hashed[i + 5] = {i, -i};
  Seen.insert(i);
  Row.push_back(i);
  Values.push_back(i + 100);
  Named["k"] = i;
  ByColor[i ? Color::Green : Color::Red] = i;
  ByLetter[char('a' + i)] = {i, 2 * i};
  Table<int, 4>::total += i;
  Table<unsigned char, 2>::total += i;
  return four.total + two.total;
}
__attribute__((noinline)) int done(int r) { return r == 1; }
int main() {
  int r = 0;
  Ages[1] = 77;
  Ages[-3] = 9;
  for (int i = 0; i < 4; i++)
    r += work(i);
  return done(r);
}
