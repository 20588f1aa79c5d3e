//===- StopSearch.h - The next stop of a replay -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_REPLAY_STOPSEARCH_H
#define REWIND_REPLAY_STOPSEARCH_H

#include "core/replay/ReplayEngine.h"
#include "core/store/StateCursor.h"
#include <set>

namespace rw {

/// Looks for the first place, in one direction, at which something stops a run:
/// the next hits of all breakpoints and watchpoints, nearest first, until one
/// has no condition or one that may hold.
class StopSearch {
public:
  using Found = ReplayEngine::Found;

  /// \p Interrupted is asked now and then; the search then ends where it is.
  StopSearch(const TraceStore &Store, const StopConditions *Conditions,
             const std::function<bool()> &Interrupted)
      : Store(Store), Conditions(Conditions), Interrupted(Interrupted) {
    if (Conditions)
      Ignored = Conditions->ignored();
  }

  void addBreakpoint(uint64_t PC);
  void addWatchpoint(const ReplayWatchpoint &W);

  /// Forward, no breakpoint stops in front of the instruction at \p When.
  void addTold(Moment When) { Told.insert(When); }
  /// Only this thread's hits count among those that are to be ignored.
  void setAlone(std::optional<ThreadIndex> T) { Alone = T; }
  /// The hits that the search has passed by since they are ignored.
  const IgnoredHits &ignored() const { return Ignored; }

  /// The first stop by a breakpoint at or after \p BreakFrom, or by an access
  /// at or after \p AccessFrom.
  /// Nothing from \p End on is looked at.
  llvm::Expected<Found> forward(Moment BreakFrom, Moment AccessFrom,
                                Moment End = ~Moment(0));
  /// The latest stop before moment \p From that is not before \p NotBefore.
  llvm::Expected<Found> backward(Moment From, Moment NotBefore);

private:
  /// A breakpoint or a watchpoint, and its next hit.
  struct Source {
    const StopConditions::List *Conditions = nullptr;
    const StopConditions::WatchList *Parts = nullptr;
    bool Watch = false;
    uint64_t PC = 0;
    ReplayWatchpoint Watched;
    std::optional<Moment> Hit; ///< the instruction
  };
  llvm::Expected<std::optional<Moment>> from(const Source &S, Moment M) const;
  llvm::Expected<std::optional<Moment>> before(const Source &S, Moment M) const;
  llvm::Expected<Found> stop(const Source &S, Moment When);

  const TraceStore &Store;
  const StopConditions *const Conditions;
  const std::function<bool()> &Interrupted;
  std::unique_ptr<StateCursor> Near; ///< made for the first condition
  std::vector<Source> Sources;
  unsigned Tested = 0;
  IgnoredHits Ignored;
  std::optional<ThreadIndex> Alone;
  std::set<Moment> Told;
};

} // namespace rw

#endif // REWIND_REPLAY_STOPSEARCH_H
