// Loops that count their own rounds. Prints for each: its function, how often
// it was entered, its rounds in all.
#include <setjmp.h>
#include <stdio.h>

struct count {
  int line;
  const char *function;
  long stays, rounds;
} counts[32];
int num_counts;

static __attribute__((noinline)) struct count *enter(int line,
                                                     const char *function) {
  for (int i = 0; i < num_counts; ++i)
    if (counts[i].line == line)
      return ++counts[i].stays, &counts[i];
  counts[num_counts].line = line;
  counts[num_counts].function = function;
  counts[num_counts].stays = 1;
  return &counts[num_counts++];
}
#define ENTER struct count *c = enter(__LINE__, __func__)
#define ROUND ++c->rounds

volatile int sink;

static __attribute__((noinline)) void triangle(int n) {
  ENTER;
  for (int i = 0; i < n; ++i) {
    ROUND;
    struct count *o = c;
    {
      ENTER;
      for (int j = 0; j < i; ++j) {
        ROUND;
        sink = j;
      }
    }
    c = o;
  }
}

static __attribute__((noinline)) void breaks(int n, int stop) {
  int i = 0;
  ENTER;
  while (i < n) {
    ROUND;
    ++i;
    if (i % 3 == 0)
      continue;
    if (i == stop)
      break;
    sink = i;
  }
}

static __attribute__((noinline)) int tree(int depth) {
  int sum = 0;
  ENTER;
  for (int i = 0; i < depth; ++i) {
    ROUND;
    sum += tree(depth - 1 - i);
  }
  return sum + 1;
}

static __attribute__((noinline)) int machine(const char *s) {
  int state = 0;
  ENTER;
  while (*s) {
    ROUND;
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
static __attribute__((noinline)) void thrower(int n) {
  ENTER;
  for (int i = 0;; ++i) {
    ROUND;
    if (i == n)
      longjmp(back, n + 1);
    sink = i;
  }
}
static __attribute__((noinline)) void jumps(int n) {
  ENTER;
  for (volatile int i = 0; i < n; ++i) {
    ROUND;
    if (!setjmp(back))
      thrower(i);
  }
}

static __attribute__((noinline)) void do_while(int n) {
  int i = 0;
  ENTER;
  do {
    ROUND;
    sink = i;
  } while (++i < n);
}

int main(void) {
  triangle(20);
  breaks(10, 100);
  breaks(30, 17);
  breaks(30, 1);
  sink = tree(7);
  sink = machine("abcabxxcaabbcc");
  jumps(9);
  do_while(13);
  do_while(0);
  for (int i = 0; i < num_counts; ++i)
    printf("%s %ld %ld\n", counts[i].function, counts[i].stays,
           counts[i].rounds);
  return 0;
}
