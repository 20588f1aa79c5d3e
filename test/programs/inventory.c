/*===- inventory.c - The program that the quickstart records ---------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*
 *
 * A small shop: items in a tree, orders in a list, a report in order of value,
 * and an audit at the end, which fails for a reason that lies far back: that is
 * what a recording is for. Freestanding: every instruction is of this file.
 *
 *===----------------------------------------------------------------------===*/

#include "random_numbers.h"
typedef unsigned long size_t;

struct item {
  int sku;
  char label[12];
  int quantity;
  int price;
  struct item *left, *right; /* tree, by sku */
  struct item *next;         /* report, by value */
};

struct order {
  int sku;
  int count; /* below zero: a sale */
  struct order *next;
};

enum { NumItems = 48, NumOrders = 160 };

static struct item items[NumItems];
static struct order orders[NumOrders];
static int expected[NumItems]; /* what the orders say, by index of the item */

/*-- What a C library would do ----------------------------------------------*/

static long system_call(long number, long a, long b, long c) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
}

static size_t length(const char *s) {
  size_t n = 0;
  while (s[n])
    ++n;
  return n;
}

static void print(const char *s) { system_call(64, 1, (long)s, length(s)); }

static void print_number(int value) {
  char digits[12], *at = digits + sizeof digits - 1;
  unsigned rest = value < 0 ? -value : value;
  *at = 0;
  do
    *--at = '0' + rest % 10;
  while (rest /= 10);
  if (value < 0)
    *--at = '-';
  print(at);
}

static unsigned seed = 2024;

static unsigned random_below(unsigned limit) {
  seed = random_numbers[seed % 512]; /* looked up: see there */
  return (seed >> 16) % limit;
}

/*-- The shop ----------------------------------------------------------------*/

static struct item *insert(struct item *tree, struct item *item) {
  if (!tree)
    return item;
  if (item->sku < tree->sku)
    tree->left = insert(tree->left, item);
  else
    tree->right = insert(tree->right, item);
  return tree;
}

static struct item *find(struct item *tree, int sku) {
  while (tree && tree->sku != sku)
    tree = sku < tree->sku ? tree->left : tree->right;
  return tree;
}

static void set_label(struct item *item, const char *text) {
  size_t i;
  for (i = 0; text[i] && i < sizeof item->label; ++i)
    item->label[i] = text[i];
  item->label[i] = 0;
}

static struct item *stock_shelves(void) {
  struct item *tree = 0;
  for (int i = 0; i < NumItems; ++i) {
    struct item *item = &items[i];
    item->sku = 100 + i * 29 % 97;
    item->quantity = 260 + (int)random_below(200);
    item->price = 5 + (int)random_below(90);
    expected[i] = item->quantity;
    set_label(item, "new");
    tree = insert(tree, item);
  }
  return tree;
}

static struct order *take_orders(void) {
  struct order *first = 0;
  for (int i = 0; i < NumOrders; ++i) {
    struct order *order = &orders[i];
    int which = (int)random_below(NumItems);
    order->sku = items[which].sku;
    order->count = (int)random_below(9) - 5;
    expected[which] += order->count;
    order->next = first;
    first = order;
  }
  return first;
}

static void process(struct item *tree, struct order *order) {
  for (; order; order = order->next) {
    struct item *item = find(tree, order->sku);
    item->quantity += order->count;
  }
}

static void rename_items(struct item *tree) {
  set_label(find(tree, 129), "hammer");
  set_label(find(tree, 187), "screwdriver");
  set_label(find(tree, 148), "spirit level");
  set_label(find(tree, 109), "saw");
}

static int value(const struct item *item) {
  return item->quantity * item->price;
}

static struct item *merge(struct item *a, struct item *b) {
  struct item head, *tail = &head;
  while (a && b) {
    struct item **best = value(a) >= value(b) ? &a : &b;
    tail->next = *best;
    tail = *best;
    *best = tail->next;
  }
  tail->next = a ? a : b;
  return head.next;
}

static struct item *sort(struct item *list) {
  if (!list || !list->next)
    return list;
  struct item *slow = list, *fast = list->next;
  while (fast && fast->next) {
    slow = slow->next;
    fast = fast->next->next;
  }
  struct item *half = slow->next;
  slow->next = 0;
  return merge(sort(list), sort(half));
}

static struct item *flatten(struct item *tree, struct item *list) {
  if (!tree)
    return list;
  list = flatten(tree->right, list);
  tree->next = list;
  return flatten(tree->left, tree);
}

static void report(const struct item *list) {
  for (int rank = 1; rank <= 3; ++rank, list = list->next) {
    print_number(rank);
    print(". ");
    print(list->label);
    print(" ");
    print_number(value(list));
    print("\n");
  }
}

static int total(const struct item *tree) {
  if (!tree)
    return 0;
  return total(tree->left) + tree->quantity + total(tree->right);
}

static void audit_failed(const struct item *item, int should_be) {
  print("audit: item ");
  print_number(item->sku);
  print(" has ");
  print_number(item->quantity);
  print(", should have ");
  print_number(should_be);
  print("\n");
}

static int audit(void) {
  int wrong = 0;
  for (int i = 0; i < NumItems; ++i) {
    const struct item *item = &items[i];
    if (item->quantity != expected[i]) {
      audit_failed(item, expected[i]);
      ++wrong;
    }
  }
  return wrong;
}

int main(void) {
  struct item *tree = stock_shelves();
  struct order *list = take_orders();
  rename_items(tree);
  process(tree, list);
  report(sort(flatten(tree, 0)));
  print("in stock: ");
  print_number(total(tree));
  print("\n");
  return audit();
}

/* The bottom of the stack: nothing called it. */
__asm__(".globl _start\n"
        ".type _start, %function\n"
        "_start:\n"
        "  .cfi_startproc\n"
        "  .cfi_undefined x30\n"
        "  mov x29, #0\n"
        "  mov x30, #0\n"
        "  bl main\n"
        "  mov x8, #93\n"
        "  svc #0\n"
        "  .cfi_endproc\n"
        ".size _start, . - _start\n");
