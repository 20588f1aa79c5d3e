/* Values of all kinds, global ones and those of a function. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = -2 };
enum rights { READ = 1, WRITE = 2, EXECUTE = 4 };
typedef int four __attribute__((vector_size(16)));
typedef float pair __attribute__((vector_size(8)));
typedef struct node node;
struct flags {
  unsigned prio : 3;
  int level : 5;
  bool on : 1;
  enum rights may : 3;
  unsigned long long wide : 40;
};
union number {
  int i;
  unsigned char bytes[4];
};
struct node {
  const char *name;
  node *next;
  struct flags fl;
  char label[12];
  union number n;
  struct {
    short x, y;
  };
  double weights[3];
  void (*visit)(node *);
};

int negative = -471;
unsigned large = 4000000000u;
long long longest = -9000000000000000000ll;
short small = -3;
uint8_t byte = 200;
int8_t tiny = -5;
bool yes = true, no;
char letter = 'q', newline = '\n', high = '\xe9';
float tenth = 0.1f, infinite = 1.0f / 0.0f;
double half = 0.5, huge = 1.5e300, third = 1.0 / 3;
enum colour colour = GREEN, cold = BLUE;
enum rights rights = READ | EXECUTE, none;
char text[16] = "spirit level";
char full[4] = {'f', 'u', 'l', 'l'};
const char *greeting = "hello \"you\"\n", *nothing;
int matrix[2][3] = {{1, 2, 3}, {4, -5, 6}};
int zeros[50] = {1, 2};
four lanes = {1, -2, 3, -4};
pair halves = {0.5f, -1.25f};
int *inside = &matrix[1][1];

static void visit(node *n) {
  n->fl.prio = 6;  /* prio written */
  n->fl.level = -7; /* level written */
  n->fl.on = true;
  n->fl.may = READ | WRITE;
  n->fl.wide = 0x123456789aull;
  n->n.i = 0x41424344;
  n->x = -1;
  n->y = 2;
}

node second = {"second", 0, {1, 2, false, EXECUTE, 3}, "b", {7}, {3, 4},
               {1, 2.5, -3}, visit};
node first = {"first", &second, {0}, "twelve bytes", {0}, {0, 0}, {0}, 0};
volatile int sink;

/* What nothing reads the trace does not tell. */
static void look(const volatile void *object, size_t size) {
  for (size_t i = 0; i < size; i++)
    sink = ((const volatile unsigned char *)object)[i];
}
#define LOOK(x) look(&(x), sizeof(x))

__attribute__((noinline)) int scale(int factor, node *n, double by) {
  int product = factor * n->next->x;
  unsigned char local[3] = {1, 2, 3};
  volatile int kept = product - 1;
  static int calls = 10;
  calls++;
  sink = kept + (int)by + local[factor & 1]; /* here */
  return product + kept;
}

int main(void) {
  visit(&first);
  LOOK(negative), LOOK(large), LOOK(longest), LOOK(small), LOOK(byte), LOOK(tiny);
  LOOK(yes), LOOK(no), LOOK(letter), LOOK(newline), LOOK(high), LOOK(tenth);
  LOOK(infinite), LOOK(half), LOOK(huge), LOOK(third), LOOK(colour), LOOK(cold);
  LOOK(rights), LOOK(none), LOOK(text), LOOK(full), LOOK(greeting), LOOK(nothing);
  LOOK(matrix), LOOK(zeros), LOOK(lanes), LOOK(halves), LOOK(inside);
  LOOK(first), LOOK(second);
  int sum = scale(-2, &first, 2.75);
  negative += sum;
  return 0;
}
