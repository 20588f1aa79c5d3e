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

using Clock = std::chrono::steady_clock;

// What a handler of signals uses outlives everything but the plugin itself.
static std::atomic<Clock::rep> LastCame = 0;
static_assert(decltype(LastCame)::is_always_lock_free);
static std::atomic_flag Handling = ATOMIC_FLAG_INIT;
static struct sigaction Before;

static void handle(int Signal, siginfo_t *Info, void *Context) {
  LastCame = Clock::now().time_since_epoch().count();
  if (Handling.test_and_set())
    return;
  if (Before.sa_flags & SA_SIGINFO)
    Before.sa_sigaction(Signal, Info, Context);
  else
    Before.sa_handler(Signal);
  Handling.clear();
}

static bool isOurs(const struct sigaction &A) {
  return (A.sa_flags & SA_SIGINFO) && A.sa_sigaction == handle;
}

namespace {
/// Gives the signal back when the plugin is unloaded.
struct Installed {
  ~Installed() {
    struct sigaction Now;
    if (::sigaction(SIGINT, nullptr, &Now) == 0 && isOurs(Now))
      ::sigaction(SIGINT, &Before, nullptr);
  }
};
} // namespace

void rw::watchInterruptSignal() {
  static std::mutex Mutex;
  static Installed GivesBack;
  std::lock_guard<std::mutex> Lock(Mutex);
  struct sigaction Now;
  if (::sigaction(SIGINT, nullptr, &Now) != 0 || isOurs(Now) ||
      Now.sa_handler == SIG_DFL || Now.sa_handler == SIG_IGN)
    return;
  Before = Now;
  Now.sa_sigaction = handle;
  Now.sa_flags |= SA_SIGINFO;
  ::sigaction(SIGINT, &Now, nullptr);
}

bool rw::interruptedSince(Clock::time_point When) {
  return Clock::time_point(Clock::duration(LastCame.load())) > When;
}

void rw::blockInterruptSignal() {
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, SIGINT);
  ::pthread_sigmask(SIG_BLOCK, &Set, nullptr);
}
