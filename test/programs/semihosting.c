/*===- semihosting.c - A bare-metal program ----------------------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Link with -nostdlib -Wl,--build-id=none. Recorded by rewind-record --bare.
 *===----------------------------------------------------------------------===*/

typedef __UINTPTR_TYPE__ word;

static word host(word operation, const volatile void *block) {
  register word r0 __asm__(
#ifdef __aarch64__
      "x0"
#else
      "r0"
#endif
      ) = operation;
  register const volatile void *r1 __asm__(
#ifdef __aarch64__
      "x1"
#else
      "r1"
#endif
      ) = block;
#if defined(__aarch64__)
  __asm__ volatile("hlt #0xf000" : "+r"(r0) : "r"(r1) : "memory");
#elif defined(__thumb__)
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
#else
  __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory");
#endif
  return r0;
}

static word block[4];
static char text[80];

void start(void) {
  block[0] = (word) ":tt";
  block[1] = 0;
  block[2] = 3;
  word input = host(0x01, block); /* SYS_OPEN */
  block[0] = input;
  block[1] = (word)text;
  block[2] = sizeof text - 1;
  word left = host(0x06, block); /* SYS_READ */
  host(0x04, "read: ");          /* SYS_WRITE0 */
  host(0x04, text);
  block[0] = (word)text;
  block[1] = sizeof text;
  host(0x15, block); /* SYS_GET_CMDLINE */
  block[0] = 1;
  block[2] = block[1];
  block[1] = (word)text;
  host(0x05, block); /* SYS_WRITE */
  host(0x03, "\n");  /* SYS_WRITEC */
  word heap[4];
  block[0] = (word)heap;
  host(0x16, block); /* SYS_HEAPINFO */
  block[0] = 0x20026;
  block[1] = heap[1] > heap[0] ? sizeof text - 1 - left : 99;
  host(0x20, block); /* SYS_EXIT_EXTENDED: how much was read */
}

__asm__(".globl _start\n"
#ifdef __thumb__
        ".thumb_func\n"
#endif
        "_start:\n"
#ifdef __aarch64__
        "  mov x0, #0x100000\n"
        "  mov sp, x0\n"
#else
        "  mov r0, #0x100000\n"
        "  mov sp, r0\n"
#endif
        "  bl start\n");
