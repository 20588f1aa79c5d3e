/* Functions that save registers, and arguments that only look saved; without a
   library, so that there is debug information of every instruction. */
typedef unsigned Word;

__attribute__((noinline)) static Word mix(Word a, Word b, Word c, Word d) {
  for (Word n = 0; n < 3; ++n) {
    a += b ^ (c >> 3);
    c = c * 5 + d;
    d ^= a;
  }
  return a + c + d;
}

__attribute__((noinline)) static Word walk(Word depth, Word seed) {
  if (depth == 0)
    return seed;
  Word left = walk(depth - 1, seed * 3 + 1);
  Word right = walk(depth - 1, seed * 5 + 7);
  Word both = mix(left, right, depth, seed);
  return mix(both, left, right, seed) + depth;
}

/* Leaves early: saves that are made on some ways only. */
__attribute__((noinline)) static Word search(const Word *of, Word count,
                                             Word wanted) {
  for (Word n = 0; n < count; ++n)
    if (of[n] == wanted)
      return n;
  Word a = mix(count, wanted, 1, 2), b = mix(a, wanted, 3, count);
  return mix(a, b, count, wanted);
}

__attribute__((noinline)) static Word table(Word size) {
  Word of[64];
  for (Word n = 0; n < 64; ++n)
    of[n] = walk(n % 4, n);
  Word sum = 0;
  for (Word n = 0; n < size; ++n)
    sum += search(of, 64, n % 2 ? of[n % 64] : n);
  return sum;
}

__attribute__((noreturn)) static void leave(Word code) {
#if defined(__aarch64__)
  register long x0 __asm__("x0") = code, x8 __asm__("x8") = 93;
  __asm__ volatile("svc #0" : : "r"(x0), "r"(x8));
#elif defined(__thumb__)
  __asm__ volatile("mov r0, %0\n\tmovs r7, #1\n\tsvc #0" : : "r"(code) : "r0");
#else
  register long r0 __asm__("r0") = code, r7 __asm__("r7") = 1;
  __asm__ volatile("svc #0" : : "r"(r0), "r"(r7));
#endif
  __builtin_unreachable();
}

void _start(void) { leave(table(600) & 127); }
