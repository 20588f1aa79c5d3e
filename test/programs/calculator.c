/*===- calculator.c - A bare-metal program -------------------------------===*
 *
 * Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Reads an expression, one character at a time, and prints its value in hex.
 * Link with -nostdlib. Recorded by rewind-record --bare --stdin.
 *===----------------------------------------------------------------------===*/

typedef __UINTPTR_TYPE__ word;

static word input, block[3];
static unsigned char ahead;

static word host(word operation, const volatile void *argument) {
#ifdef __aarch64__
  register word r0 __asm__("x0") = operation;
  register const volatile void *r1 __asm__("x1") = argument;
  __asm__ volatile("hlt #0xf000" : "+r"(r0) : "r"(r1) : "memory");
#else
  register word r0 __asm__("r0") = operation;
  register const volatile void *r1 __asm__("r1") = argument;
  __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory");
#endif
  return r0;
}

static void advance(void) {
  do {
    block[0] = input;
    block[1] = (word)&ahead;
    block[2] = 1;
    if (host(0x06, block)) /* SYS_READ */
      ahead = 0;
  } while (ahead == ' ');
}

static unsigned sum(void);

static unsigned digit(unsigned char character) { return character - '0'; }

static unsigned number(void) {
  unsigned value = 0;
  while (ahead >= '0' && ahead <= '9') {
    value = 10 * value + digit(ahead);
    advance();
  }
  return value;
}

static unsigned factor(void) {
  if (ahead != '(')
    return number();
  advance();
  unsigned value = sum();
  advance();
  return value;
}

static unsigned power(void) {
  unsigned base = factor(), value = 1;
  if (ahead != '^')
    return base;
  advance();
  for (unsigned exponent = power(); exponent; --exponent)
    value *= base;
  return value;
}

static unsigned product(void) {
  unsigned value = power();
  while (ahead == '*') {
    advance();
    value *= power();
  }
  return value;
}

static unsigned sum(void) {
  unsigned value = product();
  while (ahead == '+' || ahead == '-') {
    unsigned char operation = ahead;
    advance();
    unsigned right = product();
    value = operation == '+' ? value + right : value - right;
  }
  return value;
}

void print(unsigned value) {
  char text[9];
  for (int digit = 0; digit < 8; ++digit)
    text[digit] = "0123456789ABCDEF"[value >> (28 - 4 * digit) & 15];
  text[8] = 0;
  host(0x04, text); /* SYS_WRITE0 */
}

void start(void) {
  block[0] = (word) ":tt";
  block[1] = 0;
  block[2] = 3;
  input = host(0x01, block); /* SYS_OPEN */
  advance();
  print(sum());
  host(0x04, "\n");
  block[0] = 0x20026; /* ADP_Stopped_ApplicationExit */
  block[1] = 0;
  host(0x20, block); /* SYS_EXIT_EXTENDED */
}

__asm__(".globl _start\n"
        "_start:\n"
#ifdef __aarch64__
        "  mov x0, #0x100000\n"
        "  mov sp, x0\n"
#else
        "  mov r0, #0x100000\n"
        "  mov sp, r0\n"
#endif
        "  bl start\n");
