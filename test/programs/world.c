/*===- world.c - A program that asks its C library and kernel for much ------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include <setjmp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>

static jmp_buf back;
static atomic_int counter;
static _Thread_local int mine = 7;

static int compare(const void *a, const void *b) {
  return *(const int *)a - *(const int *)b;
}

static void deep(int n) {
  if (!n)
    longjmp(back, 3);
  deep(n - 1);
}

/* Both sides of a page, zeroing, and copies of all sizes. */
static unsigned memory(void) {
  unsigned char *page =
      mmap(0, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned long long value = 0x1122334455667788;
  unsigned sum = 0;
  for (int at = 4088; at < 4100; ++at) {
    memcpy(page + at, &value, sizeof value);
    sum += *(volatile unsigned *)(page + at + 1);
  }
  memset(page + 100, 0, 9000);
  for (int size = 0; size < 300; size += 7)
    memmove(page + size / 3, page + 5000 - size, size);
  for (int k = 0; k < 16384; ++k)
    sum += page[k];
  munmap(page, 16384);
  char *small = malloc(200000);
  memset(small, 3, 200000);
  char *big = realloc(small, 2000000);
  sum += big[199999];
  free(big);
  return sum;
}

static double floats(void) {
  double sum = 0;
  float small = 1;
  for (int k = 1; k < 40; ++k) {
    sum += 1.0 / k;
    small = small * 1.25f - k / 3;
    if (small > 100)
      small = -small / 7;
  }
  return sum + small;
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; ++k)
    printf("argument %s\n", argv[k]);
  char line[64];
  while (fgets(line, sizeof line, stdin))
    printf("line %s", line);
  int numbers[50];
  for (int k = 0; k < 50; ++k)
    numbers[k] = k * 37 % 101;
  qsort(numbers, 50, sizeof numbers[0], compare);
  printf("sorted %d %d %d\n", numbers[0], numbers[25], numbers[49]);
  printf("memory %u\n", memory());
  printf("floats %.12g\n", floats());
  printf("divide %d %d\n", -1234567 / argc, 1234567 % (argc + 10));
  int jumped = setjmp(back);
  if (!jumped)
    deep(5);
  for (int k = 0; k < 10; ++k)
    atomic_fetch_add(&counter, k);
  int was = 45;
  atomic_compare_exchange_strong(&counter, &was, 99);
  printf("jumped %d, atomic %d, thread %d\n", jumped, (int)counter, mine++);
  struct utsname name;
  uname(&name);
  printf("system %s, time %s\n", name.sysname, time(0) > 1600000000 ? "ok" : "?");
  fflush(stdout);
  fprintf(stderr, "ending\n");
  return 42;
}
