// What the listings of the benchmarks are about: a function that is called as
// often as the argument says, variables of several kinds, no optimisation.
#include <stdio.h>
#include <stdlib.h>

struct item {
  int id;
  unsigned priority : 3, kind : 5;
  double cost;
  struct item *next;
};

static struct item items[16];
long total;

static long step(struct item *item, int round) {
  long sum = item->id + round;
  item->priority = round & 7;
  total += sum;
  return sum;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1000;
  for (int i = 0; i < 16; i++) {
    items[i].id = i;
    items[i].next = &items[(i + 1) & 15];
  }
  struct item *item = items;
  long last = 0;
  for (int i = 0; i < rounds; i++) {
    last ^= step(item, i);
    item = item->next;
  }
  printf("%ld %ld\n", last, total);
  return 0;
}
