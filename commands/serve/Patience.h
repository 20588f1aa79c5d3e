//===- Patience.h - Keeps GDB waiting ---------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SERVE_PATIENCE_H
#define REWIND_COMMANDS_SERVE_PATIENCE_H

#include "core/support/ByteChannel.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace rw {

/// As long as it lives, GDB at the other end of a channel waits for an answer
/// that takes long. GDB gives up when it hears nothing for some seconds; an
/// acknowledgement makes its clock begin anew, and it skips those that answer
/// nothing. Nobody else may write meanwhile.
class Patience {
public:
  /// Owns both descriptors; reads nothing.
  Patience(int In, int Out);
  ~Patience();
  Patience(const Patience &) = delete;
  Patience &operator=(const Patience &) = delete;

private:
  ByteChannel Channel;
  std::mutex Mutex;
  std::condition_variable Done;
  bool IsDone = false;
  std::thread Thread;
};

} // namespace rw

#endif // REWIND_COMMANDS_SERVE_PATIENCE_H
