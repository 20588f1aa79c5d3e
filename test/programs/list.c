/*===- list.c - A doubly linked list with an off-by-one and a stale link ===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

/* A doubly linked list with a pool allocator and names; the bug: a name
   that is exactly NAME_LEN long overwrites the next field's low byte,
   and a stale cursor frees a node twice later on. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LEN 12

struct flags {
  unsigned dirty : 1;
  unsigned prio : 3;
  unsigned kind : 4;
  unsigned refs : 8;
  int delta : 6;
};

struct node {
  char name[NAME_LEN];
  uint32_t id;
  struct node *next;
  struct node *prev;
  struct flags fl;
  int32_t value;
  double weight;
};

struct list {
  struct node *head, *tail;
  size_t count;
  struct node **index; /* pointers to pointers */
  size_t cap;
};

static struct list the_list;
static unsigned lcg = 12345;

static unsigned rnd(unsigned n) {
  lcg = lcg * 1103515245u + 12345u;
  return (lcg >> 16) % n;
}

/* BUG 1: no room for the terminating zero: overwrites id's low byte. */
static void set_name(struct node *n, const char *name) {
  char *d = n->name;
  while (*name && d < n->name + NAME_LEN)
    *d++ = *name++;
  *d = 0;
}

static struct node *make(const char *name, uint32_t id) {
  struct node *n = malloc(sizeof *n);
  if (!n)
    abort();
  memset(n, 0, sizeof *n);
  n->id = id;
  n->value = (int)rnd(1000) - 500;
  n->weight = n->value * 0.5;
  n->fl.prio = rnd(8);
  n->fl.kind = rnd(16);
  n->fl.refs = 1;
  n->fl.delta = -3;
  set_name(n, name);
  return n;
}

static void push(struct list *l, struct node *n) {
  n->prev = l->tail;
  n->next = NULL;
  if (l->tail)
    l->tail->next = n;
  else
    l->head = n;
  l->tail = n;
  if (l->count == l->cap) {
    l->cap = l->cap ? l->cap * 2 : 4;
    l->index = realloc(l->index, l->cap * sizeof *l->index);
  }
  l->index[l->count++] = n;
}

/* BUG 2: forgets to fix next->prev when the head is removed */
static void unlink_node(struct list *l, struct node *n) {
  if (n->prev)
    n->prev->next = n->next;
  else
    l->head = n->next;
  if (n->next && n->prev)
    n->next->prev = n->prev;
  if (!n->next)
    l->tail = n->prev;
  --l->count;
}

static int sum_back(const struct list *l) {
  int s = 0;
  for (const struct node *n = l->tail; n; n = n->prev)
    s += n->value;
  return s;
}

static int sum_fwd(const struct list *l) {
  int s = 0;
  for (const struct node *n = l->head; n; n = n->next)
    s += n->value;
  return s;
}

static void touch(struct node *n, int by) {
  n->value += by;
  n->fl.dirty = 1;
  n->fl.refs += 1;
  n->fl.delta -= 1;
  n->weight = n->value * 0.5;
}

__attribute__((noinline)) static void complain(const char *what, int a, int b) {
  printf("corrupt: %s %d %d\n", what, a, b);
}

static const char *const names[] = {"ada",    "grace",   "edsger-d-w-x",
                                    "tony",   "barbara", "ken",
                                    "dennis", "leslie"};

int main(int argc, char **argv) {
  struct list *l = &the_list;
  int rounds = argc > 1 ? atoi(argv[1]) : 40;
  for (int i = 0; i < rounds; ++i) {
    unsigned k = rnd(8);
    push(l, make(names[k], 0x1000 + i));
    if (i % 5 == 4)
      touch(l->index[rnd(l->count)], i);
  }
  for (size_t i = 0; i < l->count; ++i)
    if (l->index[i]->id != 0x1000 + i) {
      complain("id", (int)l->index[i]->id, (int)i);
      break;
    }
  struct node *old = l->head;
  unlink_node(l, l->head);
  memset(old, 0xdd, sizeof old->name);
  free(old);
  struct node *fresh = make("recycled", 77);
  (void)fresh;
  int f = sum_fwd(l), b = sum_back(l);
  if (f != b)
    complain("sums", f, b);
  printf("done %d\n", f);
  return 0;
}
