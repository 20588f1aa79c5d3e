#include <stdio.h>
struct entry {
  struct entry *next;
  long key, value;
} pool[16], *head;
long hits, misses;

static inline long inlined(struct entry *e, long key) {
  long steps = 0;
  for (; e; e = e->next) {
    ++steps;
    if (e->key == key)
      return steps;
  }
  return -steps;
}

__attribute__((noinline)) static void outline(long key, long value) {
  struct entry *e = &pool[key & 15];
  e->key = key;
  e->value = value + (key > 3 ? key : -key);
  e->next = head;
  head = e;
}

int main(void) {
  for (long i = 0; i < 12; ++i)
    outline(i, i * 7 % 5);
  for (long i = 0; i < 20; ++i) {
    long found = inlined(head, i);
    if (found > 0)
      hits += found;
    else
      misses -= found;
  }
  printf("%ld %ld\n", hits, misses);
  return 0;
}
