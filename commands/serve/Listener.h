//===- Listener.h - Where connections come in -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SERVE_LISTENER_H
#define REWIND_COMMANDS_SERVE_LISTENER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace rw {

/// A socket that waits for connections from this computer.
class Listener {
public:
  /// "127.0.0.1:1234", "localhost:0" (any port that is free), or "unix:path",
  /// which must not exist, unless as a socket that nobody listens at any more,
  /// and is for its maker only. Other addresses are refused.
  static llvm::Expected<std::unique_ptr<Listener>> open(llvm::StringRef Text);
  /// Closes it, and removes its file.
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// As a client names it: "127.0.0.1:41234" or a path.
  const std::string &address() const { return Address; }
  /// Nobody but the user can connect.
  bool isPrivate() const { return !Path.empty(); }
  /// A connection, which is the caller's to close; -1 once \p Stop says so.
  /// Where no file descriptor is left, it waits until one is.
  llvm::Expected<int> accept(llvm::function_ref<bool()> Stop);
  /// The socket, which is the caller's from now on: for who accepts in his own
  /// way. Not of a path, which would stay.
  int release();

private:
  Listener(int FD) : FD(FD) {}
  int FD; ///< -1: released
  std::string Address, Path;
};

} // namespace rw

#endif // REWIND_COMMANDS_SERVE_LISTENER_H
