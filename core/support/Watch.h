//===- Watch.h - Word of a long operation, and how to stop it ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_WATCH_H
#define REWIND_SUPPORT_WATCH_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <functional>

namespace rw {

/// What somebody who waits for a long operation hands to it. Empty: nobody
/// looks, and nothing stops it.
struct Watch {
  /// Set from outside, by any thread: stop soon.
  const std::atomic<bool> *Cancel = nullptr;
  /// Whether to stop soon, where a debugger has to be asked; called only on
  /// the thread that runs the operation.
  std::function<bool()> Interrupted;
  /// Called now and then on that thread: what is being done, how much of it is
  /// done, and how much there is (0: not known).
  std::function<void(llvm::StringRef, uint64_t, uint64_t)> Progress;

  bool cancelled() const {
    return (Cancel && Cancel->load(std::memory_order_relaxed)) ||
           (Interrupted && Interrupted());
  }
  /// errc::interrupted if it is to stop.
  llvm::Error check() const {
    if (!cancelled())
      return llvm::Error::success();
    return llvm::createStringError(std::make_error_code(std::errc::interrupted),
                                   "interrupted");
  }
  /// Tells how far it is, and checks. Costs some 100 ns where somebody looks:
  /// not for every instruction.
  llvm::Error step(llvm::StringRef What, uint64_t Done, uint64_t Total) const {
    if (Progress)
      Progress(What, Done, Total);
    return check();
  }
};

/// Steps a watch whenever a good deal more has been done: cheap enough to be
/// told of every little piece.
class Pace {
public:
  Pace(const Watch &To, llvm::StringRef What, uint64_t Total)
      : To(To), What(What), Total(Total) {}
  llvm::Error at(uint64_t Done) {
    if (Done < Next)
      return llvm::Error::success();
    Next = Done + Often;
    return To.step(What, Done, Total);
  }
  static constexpr uint64_t Often = 1 << 20;

private:
  const Watch &To;
  const llvm::StringRef What;
  const uint64_t Total;
  uint64_t Next = 0;
};

} // namespace rw

#endif // REWIND_SUPPORT_WATCH_H
