//===- Backoff.h - Waiting for others by looking again ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_BACKOFF_H
#define REWIND_SUPPORT_BACKOFF_H

#include <algorithm>
#include <chrono>
#include <thread>

namespace rw {

/// The pauses of who waits for what nobody tells of: a few microseconds at
/// first, since that is mostly enough, then longer ones, up to \p Longest.
class Backoff {
public:
  explicit Backoff(
      std::chrono::microseconds Longest = std::chrono::milliseconds(1))
      : Longest(Longest) {}

  void pause() {
    std::this_thread::sleep_for(Next);
    Next = std::min(2 * Next, Longest);
  }

private:
  const std::chrono::microseconds Longest;
  std::chrono::microseconds Next{4};
};

} // namespace rw

#endif // REWIND_SUPPORT_BACKOFF_H
