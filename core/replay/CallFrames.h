//===- CallFrames.h - Frames of the call index ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_CALLFRAMES_H
#define REWIND_REPLAY_CALLFRAMES_H

#include "core/calls/CallIndex.h"
#include "core/replay/ReplayEngine.h"
#include "core/store/StoreAnswers.h"
#include <map>
#include <mutex>
#include <set>

namespace rw {

/// What a step of the debugger waits for in a thread.
struct AwaitedFrame {
  enum Kind : uint8_t {
    ReturnTo, ///< the frame that what it called returns to
    StepIn,   ///< the frame whose lines are stepped through, over calls or not
    RunIn,    ///< the frame that runs until it returns, if nothing stops it
  };
  Kind What = ReturnTo;
  uint64_t Id = 0; ///< of the frame
  /// Called where the wait ends with a departure.
  std::function<void()> Left;
};

/// How a debugger knows the activations of a trace as frames: where each was
/// called from, and by what it tells one from another. Thread-safe. Must not
/// outlive store and index.
class CallFrames {
public:
  CallFrames(const TraceStore &Store, const CallIndex &Calls)
      : Store(Store), Calls(Calls) {}

  /// The activation in which \p T stands at \p P; behind the last instruction,
  /// that of the last one. Empty if there is none.
  llvm::Expected<std::optional<Activation>> innermost(ThreadIndex T,
                                                      Position P) const;

  struct Caller {
    Activation Of;
    uint64_t PC = 0; ///< where it goes on
    /// State of the registers before its call; empty if the trace does not show
    /// the call.
    std::optional<Moment> Before;
  };
  /// Empty if the trace does not show who called \p A, or where from.
  llvm::Expected<std::optional<Caller>> caller(const Activation &A) const;

  /// The frame address, sp before the call on Arm. Empty if the trace does not
  /// tell it.
  llvm::Expected<std::optional<uint64_t>> address(const Activation &A);
  /// \p T begins where a program does: nothing has called what it is in then.
  void setOutermost(ThreadIndex T);
  bool isOutermost(const Activation &A) const;

  /// By what \p A is told from others: the same throughout it, and lower in
  /// what it calls. Its address, or a little less where that is its caller's,
  /// too; if it is not known, a number above all stacks. A number above the
  /// root's is left for a caller of it.
  llvm::Expected<uint64_t> id(const Activation &A);

  /// What \p T waits for while it runs; nothing if it waits for nothing.
  void await(ThreadIndex T, std::optional<AwaitedFrame> Frame);
  /// Where control comes back to an awaited frame, or to a caller of it, other
  /// than by a return: by longjmp, an exception of the language, or over a gap.
  /// The first one after \p From that is before \p Before. Whoever waits is
  /// told.
  llvm::Expected<std::optional<std::pair<Instant, ReplayStop>>>
  departure(Moment From, std::optional<Moment> Before);

private:
  llvm::Expected<std::optional<Activation>>
  departed(ThreadIndex T, Position P, Position Before,
           const AwaitedFrame &Wanted);

  const TraceStore &Store;
  const CallIndex &Calls;
  std::mutex Mutex;
  std::map<std::pair<ThreadIndex, uint64_t>, std::optional<uint64_t>> Addresses;
  std::map<ThreadIndex, AwaitedFrame> Awaited;
  std::set<ThreadIndex> Outermost; ///< threads that begin a program
};

} // namespace rw

#endif // REWIND_REPLAY_CALLFRAMES_H
