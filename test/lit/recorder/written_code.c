/* Code that the program writes, and writes again: by itself, by system calls, at
   the end of a page, and in a new mapping at the same place. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Page = 4096 };

#ifdef __aarch64__
/* mov w0, #n; ret */
static void make(void *at, int n) {
  uint32_t code[2] = {0x52800000u | (uint32_t)n << 5, 0xd65f03c0u};
  memcpy(at, code, sizeof code);
}
static int call(void *at) { return ((int (*)(void))at)(); }
#else
/* movw r0, #n, of two halfwords; bx lr */
static void make(void *at, int n) {
  uint16_t code[3] = {0xf240, (uint16_t)n, 0x4770};
  memcpy(at, code, sizeof code);
}
static int call(void *at) { return ((int (*)(void))((uintptr_t)at | 1))(); }
#endif

static int run(char *at) {
  __builtin___clear_cache(at, at + 8);
  return call(at);
}

static char *map(void *where) {
  return mmap(where, 2 * Page, PROT_READ | PROT_WRITE | PROT_EXEC,
              MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
}

int main(void) {
  /* High up, and low: what lies between them is no code. */
  char *high = map(0), *low = map((void *)0x3000000);
  for (int n = 17; n < 20; n++) {
    make(high, n);
    printf("%d ", run(high));
    make(low, n + 3);
    printf("%d ", run(low));
  }
  int ends[2];
  char code[8];
  memset(code, 0, sizeof code);
  make(code, 23);
  if (pipe(ends) || write(ends[1], code, sizeof code) != sizeof code ||
      read(ends[0], high, sizeof code) != sizeof code)
    return 1;
  printf("%d ", run(high));
  /* Only what is on the second page is written again. */
#ifdef __aarch64__
  make(high + Page - 4, 24);
  printf("%d ", run(high + Page - 4));
  make(high + Page - 4, 25);
  printf("%d ", run(high + Page - 4));
#else
  /* An instruction on two pages, of which only the second is written again. */
  char *across = high + Page - 2;
  make(across, 24);
  printf("%d ", run(across));
  uint16_t half = 25;
  memcpy(across + 2, &half, 2);
  printf("%d ", run(across));
#endif
  munmap(high, 2 * Page);
  if (map(high) != high)
    return 1;
  make(high, 26);
  printf("%d\n", run(high));
  return 0;
}
