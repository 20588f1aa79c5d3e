// Linked: -static -g. Variables of types with all kinds of names.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

typedef unsigned int word;
enum Colour { Red, Green };
struct Plain {
  int a;
  word b;
  Plain *next;
};
namespace ns {
struct Inner {
  short s;
};
typedef Inner Alias;
} // namespace ns

unsigned long ul;
long long ll;
unsigned short us;
const char *text;
char *const fixed = nullptr;
const volatile int still = 3;
void *anything;
int (*function)(int, const char *);
int (*toRow)[3];
int Plain::*member;
int row[4], table[2][3];
Plain plain, *pointer = &plain, plains[3];
Colour colour;
ns::Inner inner;
ns::Alias alias;
word number;
uint8_t byte;
std::string string;
std::vector<int> vector;

int main() {
  number = byte = us = 1;
  ul = ll = number;
  text = "text";
  row[1] = table[1][2] = 2;
  plain.next = pointer;
  plains[1] = plain;
  colour = Green;
  inner.s = alias.s = 4;
  member = &Plain::a;
  anything = row;
  toRow = table;
  string = text;
  vector.push_back(row[1]);
  return function != nullptr;
}
