//===- InterruptSignal.cpp - Ctrl-C as the process sees it ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/InterruptSignal.h"
#include <atomic>
#include <csignal>
#include <mutex>
#include <semaphore.h>
#include <termios.h>
#include <thread>
#include <unistd.h>

using Clock = std::chrono::steady_clock;

// What a handler of signals uses outlives everything but the plugin itself.
static std::atomic<Clock::rep> LastCame = 0;
static_assert(decltype(LastCame)::is_always_lock_free);
// Which of them a recording took for its own, and when one asked for any, and
// ceased to run, last.
static std::atomic<Clock::rep> LastTaken = 0, LastAsked = 0, LastRested = 0;
static sem_t Came;
static struct sigaction Before;

static void handle(int Signal, siginfo_t *Info, void *Context) {
  LastCame = Clock::now().time_since_epoch().count();
  if (Before.sa_flags & SA_SIGINFO)
    Before.sa_sigaction(Signal, Info, Context);
  else
    ::sem_post(&Came);
}

static bool isOurs(const struct sigaction &A) {
  return (A.sa_flags & SA_SIGINFO) && A.sa_sigaction == handle;
}

namespace {
/// Calls the handler that was there before, on a thread of its own: LLDB's
/// takes locks, which the thread that the signal interrupts may hold (while it
/// writes to a slow terminal). Several signals that came meanwhile are one.
class Dispatcher {
public:
  Dispatcher() {
    ::sem_init(&Came, /*pshared=*/0, 0);
    // Signals are for the threads that had them.
    sigset_t All, Old;
    sigfillset(&All);
    ::pthread_sigmask(SIG_BLOCK, &All, &Old);
    Thread = std::thread([this] { run(); });
    ::pthread_sigmask(SIG_SETMASK, &Old, nullptr);
  }
  /// Gives the signal back when the plugin is unloaded.
  ~Dispatcher() {
    struct sigaction Now;
    if (::sigaction(SIGINT, nullptr, &Now) == 0 && isOurs(Now))
      ::sigaction(SIGINT, &Before, nullptr);
    Ending = true;
    ::sem_post(&Came);
    Thread.join();
  }

private:
  /// A Ctrl-C empties the terminal's buffer. If that was full, Linux may not
  /// tell a thread that waits to write more, and it waits for ever; output that
  /// is suspended and goes on wakes it.
  static void wakeWriters() {
    for (int FD : {STDOUT_FILENO, STDERR_FILENO})
      if (::isatty(FD)) {
        ::tcflow(FD, TCOOFF);
        ::tcflow(FD, TCOON);
      }
  }

  /// While LLDB tests a condition, a recording runs again in a moment and stops
  /// by itself. LLDB's handler is no help then: it halts the process, that is,
  /// waits for a stop that comes after it has begun to, and holds the lock that
  /// LLDB's event thread wants for drawing the status line at the one before.
  static bool recordingTakesIt() {
    const Clock::rep Signal = LastCame;
    const auto Taken = [&] { return LastTaken >= Signal; };
    for (unsigned I = 0; I < 200 && !Taken() && LastAsked > LastRested; ++I) {
      if (I == 30)
        wakeWriters();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Taken();
  }

  void run() {
    while (true) {
      while (::sem_wait(&Came) != 0)
        ;
      while (::sem_trywait(&Came) == 0)
        ;
      if (Ending)
        return;
      if (!recordingTakesIt())
        Before.sa_handler(SIGINT);
    }
  }

  std::atomic<bool> Ending = false;
  std::thread Thread;
};
} // namespace

void rw::watchInterruptSignal() {
  static std::mutex Mutex;
  std::lock_guard<std::mutex> Lock(Mutex);
  struct sigaction Now;
  if (::sigaction(SIGINT, nullptr, &Now) != 0 || isOurs(Now) ||
      (!(Now.sa_flags & SA_SIGINFO) &&
       (Now.sa_handler == SIG_DFL || Now.sa_handler == SIG_IGN)))
    return;
  Before = Now;
  static Dispatcher Calls;
  Now.sa_sigaction = handle;
  Now.sa_flags |= SA_SIGINFO;
  ::sigaction(SIGINT, &Now, nullptr);
}

std::optional<Clock::time_point>
rw::takeInterruptSince(Clock::time_point When) {
  LastAsked = Clock::now().time_since_epoch().count();
  const Clock::rep Signal = LastCame;
  if (Signal <= When.time_since_epoch().count())
    return std::nullopt;
  LastTaken = Signal;
  return Clock::time_point(Clock::duration(Signal));
}

void rw::recordingRests() {
  LastRested = Clock::now().time_since_epoch().count();
}

void rw::blockInterruptSignal() {
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &Set, nullptr);
}
