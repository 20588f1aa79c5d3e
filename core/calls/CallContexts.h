//===- CallContexts.h - Costs by chain of callers ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLCONTEXTS_H
#define REWIND_CALLS_CALLCONTEXTS_H

#include "core/calls/CallSweep.h"
#include <deque>
#include <map>

namespace rw {

/// A function, or the handler of an exception, as profiles tell them apart.
struct FunctionKey {
  uint64_t Start = 0;
  bool Exception = false;
  bool operator<(const FunctionKey &O) const {
    return Start != O.Start ? Start < O.Start : Exception < O.Exception;
  }
  bool operator==(const FunctionKey &) const = default;
};
FunctionKey functionOf(FunctionNames &Names, const CallNode &N);
/// "quicksort", "0x8000", "[exception] irq_handler".
std::string functionLabel(FunctionNames &Names, const FunctionKey &F);

/// All activations with the same functions on the stack, summed up.
struct CallContext {
  FunctionKey Function;
  const CallContext *Parent = nullptr; ///< null for a thread's root
  ThreadIndex Thread = 0;
  uint64_t Calls = 0;
  uint64_t Instructions = 0, Own = 0; ///< with callees, without
  uint64_t Time = 0, OwnTime = 0;
  std::map<FunctionKey, CallContext *> Callees;
};

/// The calling-context tree of a trace. Memory: one node for each context.
class CallContexts {
public:
  static llvm::Expected<CallContexts> collect(const CallQuery &Q,
                                              const SweepOptions &Options);
  /// One root per thread that has instructions.
  llvm::ArrayRef<CallContext *> roots() const { return Roots; }
  /// Callers before callees.
  const std::deque<CallContext> &all() const { return Nodes; }

private:
  friend class ContextCollector;
  std::deque<CallContext> Nodes;
  std::vector<CallContext *> Roots;
};

} // namespace rw

#endif // REWIND_CALLS_CALLCONTEXTS_H
