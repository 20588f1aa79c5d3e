#include <setjmp.h>
static jmp_buf back;
volatile int sink;
__attribute__((noipa)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__attribute__((noipa)) void deep(int n) {
  if (n == 0)
    longjmp(back, 1);
  deep(n - 1);
  sink++;
}
__attribute__((noipa)) int add(int a) { return a + 1; }
__attribute__((noipa)) int indirect(int (*f)(int)) {
  int sum = 0;
  for (int k = 0; k < 5; ++k)
    sum += f(k);
  return sum;
}
int main(void) {
  sink = fibonacci(10);
  if (!setjmp(back))
    deep(6);
  sink = indirect(add);
  return 0;
}
