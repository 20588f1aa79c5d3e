// Exceptions through recursions and destructors, thrown again, from a signal
// handler; longjmp and siglongjmp. At each checkpoint the program tells its own
// stack by frame pointers, which the unwinder keeps right: it must be compiled
// with them, and with -fnon-call-exceptions.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <stdexcept>

static void *Log[1 << 16];
static int Size;
static void *Outermost; // frame of main's caller

extern "C" __attribute__((noinline)) void checkpoint() {
  void **Frame = static_cast<void **>(__builtin_frame_address(0));
  for (;; Frame = static_cast<void **>(*Frame)) {
    Log[Size++] = Frame[1];
    if (*Frame == Outermost)
      break;
  }
  Log[Size++] = nullptr;
}
struct Guard {
  int N;
  explicit Guard(int N) : N(N) {}
  ~Guard() {
    if (N % 3 == 0)
      checkpoint();
  }
};

struct Other {};

// The handler is in the same function as the thrower, some levels up.
__attribute__((noinline)) int recursive(int N, int Catcher) {
  if (N == 0)
    throw N + 1;
  if (N % Catcher)
    return recursive(N - 1, Catcher) + 1;
  try {
    return recursive(N - 1, Catcher) + 2;
  } catch (int V) {
    checkpoint();
    return V;
  }
}

// Handlers of another type are passed over; destructors run on the way.
__attribute__((noinline)) int cleanup(int N) {
  Guard G(N);
  if (N == 0)
    throw std::runtime_error("deep");
  try {
    return cleanup(N - 1) + 1;
  } catch (const Other &) {
    checkpoint();
    return -1;
  }
}

__attribute__((noinline)) int rethrow(int N) {
  try {
    if (N == 0)
      return cleanup(4);
    return rethrow(N - 1) + 1;
  } catch (const std::exception &E) {
    checkpoint();
    if (N == 3)
      return 7;
    throw;
  }
}

__attribute__((noinline)) int nested(int N) {
  try {
    if (N == 0)
      throw Other();
    return nested(N - 1);
  } catch (const Other &) {
    int V = rethrow(3); // throws and catches while one is being handled
    checkpoint();
    if (N < 2)
      throw;
    return V;
  }
}

static jmp_buf Place;
__attribute__((noinline)) void leave(int N) {
  if (N == 0)
    longjmp(Place, 1);
  leave(N - 1);
  checkpoint();
}
__attribute__((noinline)) int jumps() {
  if (setjmp(Place) == 0)
    leave(5);
  checkpoint();
  return 1;
}

static sigjmp_buf SignalPlace;
static void onSignal(int) {
  siglongjmp(SignalPlace, 1);
}
__attribute__((noinline)) int signals() {
  if (sigsetjmp(SignalPlace, 1) == 0) {
    raise(SIGUSR1);
    return 1;
  }
  checkpoint();
  return 2;
}

// A signal handler that throws, out of the instruction that was interrupted.
static void onFault(int) {
  throw Other();
}
__attribute__((noinline)) int fault(volatile int *P, int N) {
  try {
    if (N)
      return fault(P, N - 1) + 1;
    return *P;
  } catch (const Other &) {
    checkpoint();
    if (N < 2)
      throw;
    return N;
  }
}

int main(int, char **) {
  Outermost = *static_cast<void **>(__builtin_frame_address(0));
  signal(SIGUSR1, onSignal);
  signal(SIGSEGV, onFault);
  int Sum = recursive(7, 3) + recursive(6, 2) + rethrow(5) + nested(4) +
            jumps() + signals() + fault(nullptr, 4);
  checkpoint();
  for (int I = 0; I < Size; ++I)
    if (Log[I])
      std::printf("%lx ", reinterpret_cast<unsigned long>(Log[I]));
    else
      std::puts("");
  return Sum & 1;
}
