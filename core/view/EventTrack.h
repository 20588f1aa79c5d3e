//===- EventTrack.h - Exceptions, gaps and their kin in buckets -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_VIEW_EVENTTRACK_H
#define REWIND_VIEW_EVENTTRACK_H

#include "core/store/StoreAnswers.h"
#include "core/support/Watch.h"
#include "core/view/CallPyramid.h"

namespace rw {

/// What is told of the events of a kind in a bucket.
struct EventCell {
  EventKind Kind = EventKind::Error;
  Position First = 0; ///< the thread's instruction that it was before
  uint64_t Count = 0;
  uint64_t Index = 0; ///< of the first one in the store
};

/// The events of each thread that a timeline shows: not the ticks of a clock
/// and the places where decoding can begin. Built with a look at all events of
/// the trace; at most \p Limit are kept, and complete() tells.
class EventTrack {
public:
  static llvm::Expected<EventTrack>
  build(const TraceStore &Store, const Watch &W, size_t Limit = 1 << 20);
  /// By start, then by kind. O(log n) for each cell.
  std::vector<EventCell> cells(ThreadIndex T, const BucketGrid &G) const;
  /// The next or last event before or after a position; of one kind.
  std::optional<EventCell> next(ThreadIndex T, EventKind K, Position P) const;
  std::optional<EventCell> last(ThreadIndex T, EventKind K, Position P) const;
  bool complete() const { return Complete; }

private:
  struct Item {
    Position At;
    uint64_t Index;
  };
  using Kinds = std::array<std::vector<Item>, NumEventKinds>;
  std::vector<Kinds> Threads;
  bool Complete = true;
};

} // namespace rw

#endif // REWIND_VIEW_EVENTTRACK_H
