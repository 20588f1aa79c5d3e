// The system writes what is asked about: the time.
struct {
  long seconds, nanoseconds;
} now;
long told;
unsigned ra;

void _start(void) {
  register long clock __asm__("x0") = 1, number __asm__("x8") = 113;
  register void *to __asm__("x1") = &now;
  __asm__ volatile("svc #0" : "+r"(clock) : "r"(to), "r"(number) : "memory");
  told = now.nanoseconds;
  ra = 5;
  register long status __asm__("x0") = 0, exits __asm__("x8") = 93;
  __asm__ volatile("svc #0" ::"r"(status), "r"(exits));
}
