// Visits by the thousand of places with integers of all kinds; what one pointer
// leads to is unknown now and then.
struct item {
  int id;
  unsigned priority : 3, kind : 5;
  struct item *next;
};

static struct item items[16];
static int never[40];
long total;

static long step(struct item *item, int round, const int *odd) {
  long sum = item->id - round;
  item->priority = round & 7;
  total += sum;
  return sum; // here
}

int main(void) {
  for (int i = 0; i < 16; i++) {
    items[i].id = i;
    items[i].next = &items[(i + 1) & 15];
  }
  struct item *item = items;
  for (int i = 0; i < 4000; i++) {
    step(item, i, i % 100 ? &items[i & 15].id : &never[i / 100]);
    item = item->next;
  }
  return 0;
}
