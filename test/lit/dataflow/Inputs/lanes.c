// Four numbers, carried along by vector registers in several ways. Each line of
// kinds of moves ends with what is asked about.
typedef int Four __attribute__((vector_size(16)));

static int in[4], out[4], halves[4], sums[4], turned[4];

static int made(int of) { return of * of + 1; }

static void copies(void) {
  __asm__ volatile("ldr q1, [%0]\n"
                   "mov v2.16b, v1.16b\n"
                   "str q2, [%1]\n"
                   "ldp d3, d4, [%0]\n"
                   "fmov x9, d4\n"
                   "fmov d5, x9\n"
                   "stp d3, d5, [%2]\n" ::"r"(in),
                   "r"(out), "r"(halves)
                   : "v1", "v2", "v3", "v4", "v5", "x9", "memory");
}

static void computes(void) {
  __asm__ volatile("ld1 {v1.4s}, [%0]\n"
                   "add v2.4s, v1.4s, v1.4s\n"
                   "st1 {v2.4s}, [%1]\n"
                   "rev64 v3.4s, v1.4s\n"
                   "zip1 v4.2d, v3.2d, v3.2d\n"
                   "str q4, [%2]\n" ::"r"(in),
                   "r"(sums), "r"(turned)
                   : "v1", "v2", "v3", "v4", "memory");
}

static void exit_with(long status) {
  register long x8 __asm__("x8") = 93;
  register long x0 __asm__("x0") = status;
  __asm__ volatile("svc #0" ::"r"(x8), "r"(x0));
}

void _start(void) {
  in[0] = made(10);
  in[1] = made(11);
  in[2] = made(12);
  in[3] = made(13);
  copies();
  computes();
  exit_with(0);
}
