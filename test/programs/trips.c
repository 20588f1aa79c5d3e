// Loops of all kinds that count their own rounds: entries to their bodies.
// Prints for each: its function, how often control came to it, its rounds.
// Functions are kept whole, for loops are found by their names.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define LOOPS(X)                                                               \
  X(nested) X(inner) X(triangle) X(breaks) X(both) X(three) X(either) X(mixed) \
  X(do_while) X(search) X(search_to_end) X(list_search) X(list_while)          \
  X(prefix) X(length) X(tree) X(machine) X(jumps) X(thrower) X(pointers)       \
  X(endless) X(countdown) X(counted_down) X(by_call) X(out_of_two) X(rows)                   \
  X(bisect) X(divisor) X(bubble) X(passes) X(by_goto) X(sum_if) X(late) X(comma) \
  X(two_doors)
enum {
#define X(Name) Name##_,
  LOOPS(X)
#undef X
      NumLoops
};
static const char *const names[] = {
#define X(Name) #Name,
    LOOPS(X)
#undef X
};
static volatile long stays[NumLoops], rounds[NumLoops];
#define ENTER(Name) ++stays[Name##_]
#define ROUND(Name) ++rounds[Name##_]
#define FUNCTION __attribute__((noipa))

volatile int sink;

FUNCTION static void nested(int n, int m) {
  ENTER(nested);
  for (int i = 0; i < n; ++i) {
    ROUND(nested);
    sink = i;
    for (int j = 0; j < m; ++j)
      sink = j;
  }
}
// The same, but its inner loop counts.
FUNCTION static void inner(int n, int m) {
  for (int i = 0; i < n; ++i) {
    sink = i;
    ENTER(inner);
    for (int j = 0; j < m; ++j) {
      ROUND(inner);
      sink = j;
    }
  }
}
FUNCTION static void triangle(int n) {
  for (int i = 0; i < n; ++i) {
    ENTER(triangle);
    for (int j = 0; j < i; ++j) {
      ROUND(triangle);
      sink = j;
    }
  }
}
FUNCTION static void breaks(int n, int stop) {
  int i = 0;
  ENTER(breaks);
  while (i < n) {
    ROUND(breaks);
    ++i;
    if (i % 3 == 0)
      continue;
    if (i == stop)
      break;
    sink = i;
  }
}
FUNCTION static void both(int n, const int *v, int stop) {
  int i = 0;
  ENTER(both);
  while (i < n && v[i] != stop) {
    ROUND(both);
    sink = v[i];
    ++i;
  }
}
FUNCTION static void three(int n, const int *v, int stop, int other) {
  int i = 0;
  ENTER(three);
  while (i < n && v[i] != stop && v[i] != other) {
    ROUND(three);
    sink = v[i];
    ++i;
  }
}
FUNCTION static void either(int a, int b) {
  ENTER(either);
  while (a > 0 || b > 0) {
    ROUND(either);
    a -= 2;
    b -= 3;
    sink = a + b;
  }
}
FUNCTION static void mixed(int n, const int *v, int low, int high) {
  int i = 0;
  ENTER(mixed);
  while (i < n && (v[i] < low || v[i] > high)) {
    ROUND(mixed);
    sink = v[i++];
  }
}
FUNCTION static void do_while(int n) {
  int i = 0;
  ENTER(do_while);
  do {
    ROUND(do_while);
    sink = i;
  } while (++i < n);
}
FUNCTION static int search(const int *values, int value) {
  ENTER(search);
  for (int i = 0; i < 16; ++i) {
    ROUND(search);
    if (values[i] == value)
      return i;
  }
  return -1;
}
FUNCTION static int search_to_end(const int *values, int value) {
  ENTER(search_to_end);
  for (int i = 0; i < 16; ++i) {
    ROUND(search_to_end);
    if (values[i] == value)
      return i;
  }
  return -1;
}
struct node {
  struct node *next;
  int value;
} list[16];
FUNCTION static struct node *list_search(struct node *p, int value) {
  ENTER(list_search);
  for (; p; p = p->next) {
    ROUND(list_search);
    if (p->value == value)
      return p;
  }
  return 0;
}
FUNCTION static struct node *list_while(struct node *p, int value) {
  ENTER(list_while);
  while (p && p->value != value) {
    ROUND(list_while);
    p = p->next;
  }
  return p;
}
FUNCTION static int prefix(const char *a, const char *b) {
  int n = 0;
  ENTER(prefix);
  while (*a && *a == *b) {
    ROUND(prefix);
    ++a, ++b, ++n;
  }
  return n;
}
FUNCTION static int length(const char *a) {
  int n = 0;
  ENTER(length);
  while (a[n]) {
    ROUND(length);
    ++n;
  }
  return n;
}
FUNCTION static int tree(int depth) {
  int sum = 0;
  ENTER(tree);
  for (int i = 0; i < depth; ++i) {
    ROUND(tree);
    sum += tree(depth - 1 - i);
  }
  return sum + 1;
}
FUNCTION static int machine(const char *s) {
  int state = 0;
  ENTER(machine);
  while (*s) {
    ROUND(machine);
    switch (state) {
    case 0:
      state = *s == 'a' ? 1 : 2;
      break;
    case 1:
      state = *s == 'b' ? 3 : 0;
      break;
    case 2:
      state = 3;
      break;
    default:
      state = *s == 'c' ? 0 : 3;
    }
    ++s;
  }
  return state;
}
static jmp_buf back;
FUNCTION static void thrower(int n) {
  ENTER(thrower);
  for (int i = 0;; ++i) {
    ROUND(thrower);
    if (i == n)
      longjmp(back, n + 1);
    sink = i;
  }
}
FUNCTION static void jumps(int n) {
  ENTER(jumps);
  for (volatile int i = 0; i < n; ++i) {
    ROUND(jumps);
    if (!setjmp(back))
      thrower(i);
  }
}
static int one(int x) { return x + 1; }
static int two(int x) { return x ^ 5; }
static int (*const functions[])(int) = {one, two, abs, 0};
FUNCTION static int pointers(int x, int n) {
  ENTER(pointers);
  for (int (*const *f)(int) = functions; *f; ++f) {
    ROUND(pointers);
    x = (*f)(x + n);
  }
  return x;
}
FUNCTION static int endless(int n) {
  int i = 0;
  ENTER(endless);
  for (;;) {
    ROUND(endless);
    sink = i;
    if (++i == n)
      break;
    sink = -i;
    sink = i * i;
  }
  return i;
}
FUNCTION static void countdown(int n) {
  ENTER(countdown);
  while (n-- > 0) {
    ROUND(countdown);
    sink = n;
  }
}
FUNCTION static void counted_down(volatile int *n) {
  ENTER(counted_down);
  while (*n) {
    ROUND(counted_down);
    --*n;
  }
}
FUNCTION static int next(int *state) { return (*state = *state * 5 % 23) != 1; }
FUNCTION static int by_call(int state) {
  int n = 0;
  ENTER(by_call);
  while (next(&state)) {
    ROUND(by_call);
    n += state;
  }
  return n;
}
FUNCTION static int out_of_two(const int *v, int n, int sum) {
  for (int i = 0; i < n; ++i) {
    ENTER(out_of_two);
    for (int j = 0; j < n; ++j) {
      ROUND(out_of_two);
      if (v[i] + v[j] == sum)
        return i * n + j;
    }
  }
  return -1;
}
FUNCTION static int rows(const int *v, int n, int sum) {
  ENTER(rows);
  for (int i = 0; i < n; ++i) {
    ROUND(rows);
    for (int j = 0; j < n; ++j) {
      sink = j;
      if (v[i] + v[j] == sum)
        return i * n + j;
    }
  }
  return -1;
}
FUNCTION static int bisect(const int *v, int n, int value) {
  int low = 0, high = n;
  ENTER(bisect);
  while (low < high) {
    ROUND(bisect);
    int middle = (low + high) / 2;
    if (v[middle] == value)
      return middle;
    if (v[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}
FUNCTION static int divisor(int a, int b) {
  ENTER(divisor);
  while (b) {
    ROUND(divisor);
    int rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}
FUNCTION static void bubble(int *v, int n) {
  int swapped;
  ENTER(bubble);
  do {
    ROUND(bubble);
    swapped = 0;
    for (int i = 1; i < n; ++i)
      if (v[i - 1] > v[i]) {
        int t = v[i];
        v[i] = v[i - 1];
        v[i - 1] = t;
        swapped = 1;
      }
  } while (swapped);
}
FUNCTION static void passes(int *v, int n) {
  for (int swapped = 1; swapped;) {
    swapped = 0;
    ENTER(passes);
    for (int i = 1; i < n; ++i) {
      ROUND(passes);
      if (v[i - 1] > v[i]) {
        int t = v[i];
        v[i] = v[i - 1];
        v[i - 1] = t;
        swapped = 1;
      }
    }
  }
}
FUNCTION static int by_goto(int n) {
  int i = 0;
  ENTER(by_goto);
again:
  ROUND(by_goto);
  sink = i;
  if (++i < n)
    goto again;
  return i;
}
FUNCTION static int sum_if(const int *v, int n, int least) {
  int sum = 0;
  ENTER(sum_if);
  for (int i = 0; i < n; ++i) {
    ROUND(sum_if);
    if (v[i] < least)
      continue;
    sum += v[i];
  }
  return sum;
}
// Tested in the middle of a long body.
FUNCTION static int late(const int *v, int n) {
  int i = 0, a = 1;
  ENTER(late);
  for (;;) {
    ROUND(late);
    a = a * 3 + v[i];
    a ^= a >> 3;
    sink = a;
    if (i++ == n)
      return a;
  }
}
FUNCTION static int comma(int n) {
  int i = 0;
  ENTER(comma);
  while (sink = i, i * i < n) {
    ROUND(comma);
    ++i;
  }
  return i;
}
// Its body can be entered in the middle as well.
FUNCTION static int two_doors(int n, int middle) {
  int i = 0;
  ENTER(two_doors);
  if (middle)
    goto inside;
again:
  ROUND(two_doors);
  sink = -i;
inside:
  sink = i;
  if (++i < n)
    goto again;
  return i;
}

int main(void) {
  int v[16], w[8] = {5, 1, 4, 2, 8, 7, 3, 6}, u[8] = {5, 1, 4, 2, 8, 7, 3, 6};
  for (int i = 0; i < 16; ++i) {
    v[i] = i;
    list[i].value = i;
    list[i].next = i < 15 ? &list[i + 1] : 0;
  }
  nested(7, 4);
  nested(3, 5);
  inner(5, 3);
  triangle(20);
  breaks(10, 100);
  breaks(30, 17);
  breaks(30, 1);
  both(9, v, 100);
  both(16, v, 4);
  both(16, v, 11);
  three(9, v, 100, 100);
  three(16, v, 4, 100);
  three(16, v, 100, 6);
  either(9, 4);
  either(4, 19);
  mixed(16, v, 6, 10);
  mixed(5, v, 6, 10);
  mixed(16, v, 0, -1);
  do_while(13);
  do_while(0);
  sink = search(v, 4);
  sink = search(v, 9);
  sink = search_to_end(v, 7);
  sink = search_to_end(v, 77);
  sink = list_search(list, 5)->value;
  sink = !list_search(list, 55);
  sink = list_search(list, 2)->value;
  sink = list_while(list, 5)->value;
  sink = !list_while(list, 55);
  sink = list_while(list, 3)->value;
  sink = prefix("abcdef", "abcxef");
  sink = prefix("abcdef", "abcdef");
  sink = prefix("abcd", "abcdefg");
  sink = length("what is the length?");
  sink = length("two");
  sink = tree(7);
  sink = machine("abcabxxcaabbcc");
  jumps(9);
  sink = pointers(3, 4);
  sink = pointers(5, -14);
  sink = endless(8);
  sink = endless(5);
  countdown(9);
  countdown(4);
  volatile int n = 6;
  counted_down(&n);
  n = 3;
  counted_down(&n);
  sink = by_call(3);
  sink = by_call(7);
  sink = out_of_two(v, 16, 19);
  sink = out_of_two(v, 8, 190);
  sink = rows(v, 16, 19);
  sink = rows(v, 5, 190);
  sink = bisect(v, 16, 3);
  sink = bisect(v, 16, 14);
  sink = bisect(v, 16, 99);
  sink = divisor(1071, 462);
  sink = divisor(89, 55);
  bubble(w, 8);
  passes(u, 8);
  sink = by_goto(6);
  sink = sum_if(v, 16, 7);
  sink = late(v, 9);
  sink = late(v, 4);
  sink = comma(50);
  sink = comma(10);
  sink = two_doors(9, 0);
  for (int i = 0; i < NumLoops; ++i)
    printf("%s %ld %ld\n", names[i], stays[i], rounds[i]);
  return 0;
}
