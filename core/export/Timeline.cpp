//===- Timeline.cpp - Calls and events on a clock -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/Timeline.h"
#include "core/model/TimeUnit.h"
#include "core/store/TraceStore.h"
#include "core/support/Printable.h"

namespace rw {

std::optional<double> nanosecondsPerUnit(llvm::StringRef Name) {
  const TimeUnit *U = findTimeUnit(Name);
  if (!U || !U->Nanoseconds)
    return std::nullopt;
  return U->Nanoseconds;
}

namespace {

/// Begins slices only when time goes on, so that flat ones are never begun:
/// some viewers nest what begins and ends at the same time.
class Slices final : public CallVisitor {
public:
  Slices(TimelineWriter &To, const CallQuery &Q, bool Times,
         TimelineSummary &Sum)
      : To(To), Names(Q.Names), Times(Times),
        FirstTime(Times ? Q.Store.firstTime() : 0), Sum(Sum) {}
  llvm::Error enter(const CallNode &N) override {
    goOn(at(N.StartTime, N.Call.Start));
    Waiting.push_back(N);
    return llvm::Error::success();
  }
  llvm::Error leave(const CallNode &N, const CallNode *) override {
    goOn(at(N.EndTime, N.Call.End));
    if (!Waiting.empty()) {
      Waiting.pop_back();
      ++Sum.Flat;
    } else {
      To.endSlice(Now);
      ++Sum.Slices;
    }
    return llvm::Error::success();
  }

private:
  void goOn(uint64_t Time) {
    if (Time == Now)
      return;
    for (const CallNode &N : Waiting)
      To.beginSlice(Now, functionOf(Names, N), N);
    Waiting.clear();
    Now = Time;
  }
  /// Before the first time that the trace tells, the clock stands still.
  uint64_t at(uint64_t Time, Position P) const {
    return Times ? std::max(Time, FirstTime) : P;
  }
  TimelineWriter &To;
  FunctionNames &Names;
  bool Times;
  uint64_t FirstTime;
  uint64_t Now = 0;
  std::vector<CallNode> Waiting; ///< the innermost ones, all from Now on
  TimelineSummary &Sum;
};

} // namespace

llvm::Expected<TimelineSummary> writeTimeline(const CallQuery &Q, CostUnit Unit,
                                              TimelineWriter &To) {
  const TraceHeader &Header = Q.Store.header();
  TimelineSummary Sum;
  SweepOptions Options;
  Options.Times = Unit == CostUnit::Time;
  for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
    if (Q.Index.size(T) == 0)
      continue;
    To.beginThread(T,
                   T < Header.Threads.size() && !Header.Threads[T].Name.empty()
                       ? Header.Threads[T].Name
                       : "thread " + std::to_string(T + 1));
    Slices S(To, Q, Options.Times, Sum);
    if (llvm::Error E = sweepCalls(Q, T, Options, S))
      return E;
    SiteReader Sites(Q.Store, T);
    struct {
      std::string Name;
      uint64_t Time = 0, Count = 0;
      Position Pos = 0;
    } Last;
    auto Flush = [&] {
      if (Last.Count)
        To.instant(Last.Time, Last.Name, Last.Pos, Last.Count);
    };
    for (uint64_t I = 0, N = Q.Store.numEvents(); I < N; ++I) {
      if (I % 4096 == 0)
        if (llvm::Error E = Q.Watch.check())
          return E;
      auto Event = Q.Store.event(I);
      if (!Event)
        return Event.takeError();
      // A timeline has a clock, and where packets begin anew is no news there.
      if (Event->Thread != T || Event->Kind == EventKind::ClockTick ||
          Event->Kind == EventKind::SyncPoint)
        continue;
      auto Pos = Q.Store.positionOf(
          T, std::min<Moment>(Event->Before, Q.Store.numInstructions()));
      if (!Pos)
        return Pos.takeError();
      uint64_t Time = *Pos;
      if (Options.Times) {
        auto At = Sites.timeAt(*Pos);
        if (!At)
          return At.takeError();
        Time = std::max(*At, Q.Store.firstTime());
      }
      std::string Name = eventName(Event->Kind);
      if (!Event->Text.empty())
        Name += ": " + printable(Event->Text);
      if (Last.Count && Last.Time == Time && Last.Name == Name) {
        ++Last.Count;
        continue;
      }
      Flush();
      Last = {std::move(Name), Time, 1, *Pos};
    }
    Flush();
  }
  return Sum;
}

} // namespace rw
