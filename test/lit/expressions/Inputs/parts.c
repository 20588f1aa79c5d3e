#include <stdlib.h>

struct account {
  char kind;
  int id;
  long long balance;
  const char *name;
};
struct branch {
  struct account first;
  struct account *next;
  char tag[8];
  double rate;
};

static struct account accounts[4];

static int visit(struct account *a, struct branch *b, int i) {
  return a->id + i + (b != 0);
}

int main(void) {
  struct branch *b = malloc(sizeof *b);
  b->first.kind = 'x';
  b->first.id = 7;
  b->next = &accounts[1];
  b->rate = 2.5;
  b->tag[0] = 'h';
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    accounts[i].kind = (char)('a' + i);
    accounts[i].id = i * 10;
    accounts[i].name = "acct";
  }
  for (int i = 0; i < 4; ++i)
    sum += visit(&accounts[i], b, i);
  return sum == 0;
}
