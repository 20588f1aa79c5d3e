// longjmp and siglongjmp over recursions, to inner and to outer ones, among
// switches whose cases stand behind calls.
#include <setjmp.h>
#include <stdio.h>

static jmp_buf Near;
static sigjmp_buf Far;
static volatile int Count;

#define OUT_OF_LINE __attribute__((noinline))

OUT_OF_LINE static void leaf(int N) {
  Count += N;
  if (N == 0)
    longjmp(Near, 3);
  if (N == 50)
    siglongjmp(Far, 4);
}

OUT_OF_LINE static int deep(int N) {
  leaf(N);
  int Result = deep(N - 1);
  Count++;
  return Result + 1;
}

OUT_OF_LINE static int attempt(int N) {
  int Result = setjmp(Near);
  if (Result)
    return Result;
  if (N == 0)
    return deep(4);
  Result = attempt(N - 1);
  Count += Result;
  if (N == 2 && setjmp(Near) == 0)
    leaf(0);
  return Result;
}

OUT_OF_LINE static int machine(int State, int N) {
  for (;;)
    switch (State) {
    case 0:
      Count += 3;
      State = 1;
      break;
    case 1:
      leaf(2);
      // fall through
    case 2:
      Count++;
      State = 3;
      break;
    case 3:
      if (N)
        machine(2, N - 1);
      State = 4;
      break;
    case 4:
      Count += 7;
      leaf(1);
      // fall through
    case 5:
      return Count;
    case 6:
      Count *= 3;
      State = 2;
      break;
    case 7:
      State = 1;
      Count -= 2;
      break;
    }
}

int main(void) {
  int Total = attempt(3);
  Total += machine(0, 4);
  for (int I = 0; I < 3; I++) {
    if (sigsetjmp(Far, 1) == 0)
      deep(53);
    Total += machine(I, 2);
  }
  printf("%d %d\n", Total, Count);
  return 0;
}
