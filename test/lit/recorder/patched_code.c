/* Code that writes instructions of itself: those that come next, too, without
   asking for them to be seen. A CPU may execute the old ones or the new ones;
   the recorder's executes the new ones, as the model in here does. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { Count = 30, Rounds = 200 };

#ifdef __aarch64__
typedef uint32_t Code;
static const Code Return = 0xd65f03c0u;
/* add w0, w0, #n; str w2, [x1, #4 * n] */
static Code add(unsigned n) { return 0x11000000u | n << 10; }
static Code put(unsigned n) { return 0xb9000022u | n << 10; }
static int is_add(Code c) { return (c & 0xff000000u) == 0x11000000u; }
static unsigned number(Code c) { return c >> 10 & 0xfff; }
enum { ThumbBit = 0 };
#else
typedef uint16_t Code;
enum { Return = 0x4770 };
/* adds r0, #n; strh r2, [r1, #2 * n] */
static Code add(unsigned n) { return 0x3000 | n; }
static Code put(unsigned n) { return 0x800a | n << 6; }
static int is_add(Code c) { return (c & 0xff00) == 0x3000; }
static unsigned number(Code c) { return is_add(c) ? c & 0xff : c >> 6 & 31; }
enum { ThumbBit = 1 };
#endif

static unsigned random_number(unsigned below) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (state >> 16) % below;
}

static unsigned model(Code *code, Code value) {
  unsigned sum = 0;
  for (unsigned at = 0; code[at] != Return; at++)
    if (is_add(code[at]))
      sum += number(code[at]);
    else
      code[number(code[at])] = value;
  return sum;
}

static unsigned run(Code *code, Code value) {
  unsigned (*function)(unsigned, Code *, unsigned);
  function =
      (unsigned (*)(unsigned, Code *, unsigned))((uintptr_t)code | ThumbBit);
  return function(0, code, value);
}

int main(void) {
  Code *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unsigned total = 0, wrong = 0;
  for (unsigned round = 0; round < Rounds; round++) {
    Code copy[Count + 1];
    for (unsigned at = 0; at < Count; at++)
      copy[at] = random_number(3) ? add(1 + random_number(9))
                                  : put(random_number(Count));
    copy[Count] = Return;
    memcpy(code, copy, sizeof copy);
    __builtin___clear_cache((char *)code, (char *)(code + Count + 1));
    Code value = add(100 + random_number(50));
    unsigned sum = run(code, value);
    wrong += sum != model(copy, value);
    total += sum;
  }
#ifndef __aarch64__
  /* In an If-Then block the engine cannot stop: what was there is executed. */
  static const uint16_t block[] = {
      0x4280, /* cmp r0, r0 */
      0xbf01, /* itttt eq */
      0x800a | 4 << 6 /* strh r2, [r1, #8] */,
      0x3001, /* add r0, #1 */
      0x3002, /* add r0, #2: written */
      0x3003, /* add r0, #3 */
      0x4280, /* cmp r0, r0 */
      0xbf06, /* itte eq */
      0x800a | 9 << 6 /* strh r2, [r1, #18] */,
      0x3004, /* add r0, #4: written */
      0x3005, /* add r0, #5: not executed */
      0xbf08, /* it eq */
      0x800a | 13 << 6 /* strh r2, [r1, #26] */,
      0x3006, /* add r0, #6: written, behind the block */
      Return};
  memcpy(code, block, sizeof block);
  __builtin___clear_cache((char *)code, (char *)code + sizeof block);
  unsigned sum = run(code, add(200));
  wrong += sum != 1 + 2 + 3 + 4 + 200;
  total += sum;
#endif
  printf("%u %u\n", wrong, total);
  return 0;
}
