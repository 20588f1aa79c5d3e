//===- CallDepths.h - How deep the calls are --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_QUESTIONS_CALLDEPTHS_H
#define REWIND_COMMANDS_QUESTIONS_CALLDEPTHS_H

#include "commands/calls/CallSupport.h"

namespace rw {

/// How deep the calls are, as `calls tree` nests them. One walk over the calls
/// of each thread that is asked about.
class CallDepths {
public:
  /// An Error if the index has no calls.
  static llvm::Expected<std::unique_ptr<CallDepths>> open(Session &S);
  ~CallDepths();

  /// \p P must not fall from one question about a thread to the next.
  llvm::Expected<uint64_t> at(ThreadIndex T, Position P);
  /// The depth stays as it was told last before that position.
  Position changes(ThreadIndex T) const;

private:
  struct OneThread;
  CallDepths(Session &S, std::unique_ptr<CallsOfSession> C);
  std::unique_ptr<CallsOfSession> Calls;
  CallQuery Query;
  std::vector<std::unique_ptr<OneThread>> Threads;
};

} // namespace rw

#endif // REWIND_COMMANDS_QUESTIONS_CALLDEPTHS_H
