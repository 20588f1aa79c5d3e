/* Memory that system calls replace: the trace has what is there then. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { Page = 4096 };

__attribute__((noinline)) static void after(void) {
  __asm__ volatile("" ::: "memory");
}

static uint32_t *map(void *where, int rights, int file) {
  int flags = MAP_PRIVATE | (where ? MAP_FIXED : 0);
  if (file < 0)
    flags |= MAP_ANONYMOUS;
  return mmap(where, Page, rights, flags, file, 0);
}

int main(void) {
  const int both = PROT_READ | PROT_WRITE;
  volatile uint32_t *at =
      mmap(0, 32 * Page, both, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const unsigned each = Page / sizeof *at;
  for (unsigned page = 0; page < 8; page++)
    for (unsigned word = 0; word < 4; word++)
      at[page * each + word] = 0x1111 * (page + 1);
  void *of[8];
  for (unsigned page = 0; page < 8; page++)
    of[page] = (void *)(at + page * each);

  /* A file, which a page will have. */
  int file = memfd_create("file", 0);
  if (write(file, "file", 4) != 4)
    return 1;

  madvise(of[0], Page, MADV_DONTNEED);
  map(of[1], both, -1);
  munmap(of[2], Page);
  map(of[2], both, -1);
  map(of[3], both, file);
  map(of[4], PROT_NONE, -1);
  mprotect(of[4], Page, both);
  /* Page 5 is moved to where page 6 was. */
  void *moved = mremap(of[5], Page, Page, MREMAP_MAYMOVE | MREMAP_FIXED, of[6]);
  /* Page 7 is moved to where nothing was, and grows. */
  void *grown = mremap(of[7], Page, 2 * Page, MREMAP_MAYMOVE | MREMAP_FIXED,
                       (char *)of[0] + 40 * Page);
  /* The end of the heap is given back and taken again. */
  char *end = sbrk(0);
  uint32_t *heap = (uint32_t *)(((uintptr_t)end + Page - 1) & -(uintptr_t)Page);
  if (brk((char *)heap + Page))
    return 1;
  heap[0] = 0x9999;
  brk(heap);
  brk((char *)heap + Page);
  after();

  printf("%d %d\n", moved == of[6], grown == (char *)of[0] + 40 * Page);
  for (unsigned page = 0; page < 5; page++)
    printf("%x ", at[page * each]);
  printf("%x %x %x\n", at[6 * each], *(uint32_t *)grown, heap[0]);
  /* What cannot be. */
  printf("%d", mremap(of[6], Page, Page, MREMAP_FIXED, of[0]) == MAP_FAILED);
  printf(" %d", mremap(of[0], 2 * Page, Page, MREMAP_MAYMOVE | MREMAP_FIXED,
                       of[1]) == MAP_FAILED);
  printf(" %d", mremap(of[5], Page, Page, MREMAP_MAYMOVE | MREMAP_FIXED,
                       of[1]) == MAP_FAILED);
  /* Rights move, too. */
  mprotect(of[6], Page, PROT_READ);
  mremap(of[6], Page, Page, MREMAP_MAYMOVE | MREMAP_FIXED, of[7]);
  printf(" %d\n", pread(file, of[7], 1, 0) < 0 && errno == EFAULT);
  return 0;
}
