//===- WithoutSignals.h - Writes that end no process ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_WITHOUTSIGNALS_H
#define REWIND_SUPPORT_WITHOUTSIGNALS_H

#include <cerrno>
#include <csignal>
#include <ctime>

namespace rw {

/// Keeps the signals that a write may raise in this thread from ending the
/// process: the write's error tells the same.
class WithoutSignals {
public:
  WithoutSignals() {
    sigemptyset(&Signals);
    sigaddset(&Signals, SIGXFSZ);
    sigaddset(&Signals, SIGPIPE);
    ::sigpending(&Before);
    ::pthread_sigmask(SIG_BLOCK, &Signals, &Mask);
  }
  ~WithoutSignals() {
    sigset_t Now;
    ::sigpending(&Now);
    sigset_t Raised;
    sigemptyset(&Raised);
    bool Any = false;
    for (int S : {SIGXFSZ, SIGPIPE})
      if (sigismember(&Now, S) && !sigismember(&Before, S)) {
        sigaddset(&Raised, S);
        Any = true;
      }
    const timespec AtOnce = {0, 0};
    while (Any &&
           (::sigtimedwait(&Raised, nullptr, &AtOnce) > 0 || errno == EINTR))
      ;
    ::pthread_sigmask(SIG_SETMASK, &Mask, nullptr);
  }

private:
  sigset_t Signals, Before, Mask;
};

} // namespace rw

#endif // REWIND_SUPPORT_WITHOUTSIGNALS_H
