//===- EventTrack.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/view/EventTrack.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

static bool isShown(EventKind K) {
  return K != EventKind::ClockTick && K != EventKind::SyncPoint &&
         K != EventKind::ModeChange;
}

Expected<EventTrack> EventTrack::build(const TraceStore &Store, const Watch &W,
                                       size_t Limit) {
  EventTrack Track;
  Track.Threads.resize(Store.numThreads());
  size_t Kept = 0;
  Pace Progress(W, "events", Store.numEvents());
  for (uint64_t I = 0; I < Store.numEvents(); ++I) {
    if (Error E = Progress.at(I))
      return E;
    auto Event = Store.event(I);
    if (!Event)
      return Event.takeError();
    if (!isShown(Event->Kind))
      continue;
    if (Kept++ == Limit) {
      Track.Complete = false;
      break;
    }
    auto At = Store.positionOf(Event->Thread, Event->Before);
    if (!At)
      return At.takeError();
    Track.Threads[Event->Thread][unsigned(Event->Kind)].push_back({*At, I});
  }
  return Track;
}

std::vector<EventCell> EventTrack::cells(ThreadIndex T,
                                         const BucketGrid &G) const {
  std::vector<EventCell> Result;
  for (unsigned K = 0; K < NumEventKinds; ++K) {
    const std::vector<Item> &Items = Threads[T][K];
    auto Before = [&](Position P) {
      return partition_point(Items, [P](const Item &I) { return I.At < P; });
    };
    auto End = Before(G.begin(G.End));
    for (auto I = Before(G.begin(G.First)); I < End;) {
      auto Next = Before(G.begin((I->At >> G.Log2) + 1));
      Result.push_back({EventKind(K), I->At, uint64_t(Next - I), I->Index});
      I = Next;
    }
  }
  llvm::stable_sort(Result, [](const EventCell &A, const EventCell &B) {
    return A.First < B.First;
  });
  return Result;
}

std::optional<EventCell> EventTrack::next(ThreadIndex T, EventKind K,
                                          Position P) const {
  const std::vector<Item> &Items = Threads[T][unsigned(K)];
  auto I = partition_point(Items, [P](const Item &I) { return I.At <= P; });
  if (I == Items.end())
    return std::nullopt;
  return EventCell{K, I->At, 1, I->Index};
}

std::optional<EventCell> EventTrack::last(ThreadIndex T, EventKind K,
                                          Position P) const {
  const std::vector<Item> &Items = Threads[T][unsigned(K)];
  auto I = partition_point(Items, [P](const Item &I) { return I.At < P; });
  if (I == Items.begin())
    return std::nullopt;
  --I;
  return EventCell{K, I->At, 1, I->Index};
}

} // namespace rw
