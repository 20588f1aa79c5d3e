//===- Child.h - A process that ends with us --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_CHILD_H
#define REWIND_COMMANDS_DAP_CHILD_H

#include "core/support/ByteChannel.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace rw {

/// A program that speaks on its standard input and output. It ends when the
/// thread that started it does, however that ends.
class Child {
public:
  /// The first word is the program's path.
  static llvm::Expected<std::unique_ptr<Child>>
  start(llvm::ArrayRef<std::string> Words);
  /// Ends it, if need be by a signal, and takes its status.
  ~Child();
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  ByteChannel &channel() { return *Channel; }
  void kill();
  /// Waits until it has ended: "exit status 1", "signal 9"; ends it after
  /// \p Milliseconds.
  std::string wait(unsigned Milliseconds);
  /// How the ended child left: 0 if in order.
  int exitStatus() const { return Status; }

private:
  Child(pid_t Pid, int Ours) : Pid(Pid) {
    Channel = std::make_unique<ByteChannel>(Ours, Ours);
  }
  bool reap(unsigned Milliseconds);

  pid_t Pid;
  int Raw = 0, Status = 0;
  std::unique_ptr<ByteChannel> Channel;
};

} // namespace rw

#endif // REWIND_COMMANDS_DAP_CHILD_H
