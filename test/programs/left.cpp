// Calls that do not return: longjmp within a function and over several, out of
// loops and recursions; exceptions caught by the caller and further out. With
// inlined functions when it is optimized.
#include <csetjmp>
#include <cstdio>

static std::jmp_buf Here, Outer;
static volatile int Count;

#define OUT_OF_LINE __attribute__((noinline))

OUT_OF_LINE static void fail(int N) {
  Count = Count + N;
  std::longjmp(Here, N + 1);
}

OUT_OF_LINE static int deep(int N) {
  if (N == 0)
    fail(3);
  int Result = deep(N - 1);
  return Result + 1;
}

OUT_OF_LINE static int attempt(int N) {
  int Result = setjmp(Here);
  if (Result)
    return Result;
  Count = Count + 1;
  deep(N);
  Count = Count + 100;
  return -1;
}

OUT_OF_LINE static void leave(int N) {
  Count = Count + 2;
  std::longjmp(Outer, N);
}

OUT_OF_LINE static int middle(int N) {
  Count = Count + 5;
  leave(N);
  Count = Count + 7;
  return Count;
}

struct Guard {
  int N;
  explicit Guard(int N) : N(N) {}
  ~Guard() { Count = Count + N; }
};

OUT_OF_LINE static int thrower(int N) {
  Guard G(N);
  if (N > 1)
    throw N;
  return N;
}

OUT_OF_LINE static int between(int N) {
  Guard G(10);
  int Result = thrower(N);
  Result += 1;
  return Result;
}

static inline int square(int X) {
  int Result = X * X;
  if (Result > 20)
    Result -= Count;
  return Result;
}

static inline int cube(int X) {
  int Result = square(X);
  Result *= X;
  return Result;
}

OUT_OF_LINE static int catcher(int N) {
  int Result = 0;
  try {
    Result = between(N);
    Result += 2;
  } catch (int Thrown) {
    Result = -Thrown;
    Count = Count + 3;
  }
  return Result;
}

int main() {
  int Total = 0;
  for (int I = 0; I < 3; ++I) {
    Total += attempt(I + 2);
    Total += square(Total);
  }
  int Result = setjmp(Outer);
  if (Result < 2) {
    Total += Result;
    Total += middle(Result + 1);
    Total += 1000;
  }
  for (int I = 0; I < 4; ++I) {
    Total += catcher(I);
    Total ^= cube(Total & 7);
    Total += cube(I);
  }
  std::printf("%d %d\n", Total, int(Count));
  return 0;
}
