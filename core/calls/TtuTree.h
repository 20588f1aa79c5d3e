//===- TtuTree.h - The call tree of the Tarmac Trace Utilities --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_TTUTREE_H
#define REWIND_CALLS_TTUTREE_H

#include "core/calls/CallSweep.h"

namespace rw {

/// The calls of a thread that tarmac-calltree of Arm's Tarmac Trace Utilities
/// (TTU) shows, as entries and exits in order: only those that its rule
/// confirms, and a root that spans the thread. Memory: depth.
class TtuCalls {
public:
  TtuCalls(const CallIndex &Index, ThreadIndex T) : Index(Index), T(T) {}

  struct Event {
    bool Entry = false; ///< else an exit
    Position At = 0;    ///< first instruction; of an exit: the caller's next
    /// For an entry, where that call goes back. TTU counts depth up at
    /// starts and down at ends, so where calls cross, the exit that belongs to
    /// an entry by nesting is another one's.
    Position End = 0;
  };
  /// Empty after the root's exit. 20 ns.
  llvm::Expected<std::optional<Event>> next();
  /// Calls that are open after the last event.
  size_t depth() const { return Ends.size(); }

private:
  struct Range {
    Position Start, End;
  };
  llvm::Error advance();
  llvm::Error refill();

  const CallIndex &Index;
  ThreadIndex T;
  std::vector<Range> Batch; ///< of the index's activations, those listed
  size_t InBatch = 0;
  uint64_t NextNumber = 0;
  CallIndex::TtuOnlyPlace Place;
  std::optional<Activation> Only;
  std::optional<Range> Ahead;
  bool Begun = false;
  std::vector<Position> Ends; ///< of the open ones, a heap: the first on top
};

/// Prints as tarmac-calltree does. Memory: calls that cross others. What a
/// trace tells before its first instruction, at the same time, belongs to that
/// instruction for TTU: \p FirstLine is where that begins, 0 if it is the
/// instruction's own line.
llvm::Error printTtuTree(const CallQuery &Q, ThreadIndex T, uint64_t FirstLine,
                         llvm::raw_ostream &Out);

/// As tarmac-profile: every activation counts with its time and one more.
/// Memory: functions and depth.
llvm::Error printTtuProfile(const CallQuery &Q, llvm::raw_ostream &Out);

/// As tarmac-flamegraph. Memory: distinct stacks.
llvm::Error printTtuFlameGraph(const CallQuery &Q, llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_CALLS_TTUTREE_H
