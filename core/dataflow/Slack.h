//===- Slack.h - How much later something could have been -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The slack of a node is how much later it could start without making the
// critical path longer: the latest end that those who wait for it allow, less
// the end that it had. Times.h measures forward and tells a log all that each
// node waits for; a sweep over the log, backwards, then knows of each node what
// all who wait for it allow.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_SLACK_H
#define REWIND_DATAFLOW_SLACK_H

#include "core/dataflow/SlackLog.h"
#include "core/dataflow/Times.h"
#include "core/support/Watch.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace rw::dataflow {

/// Absolute times, as FineTimes, that also go to a log with all dependences.
class LoggedTimes : public FineTimes<TracedTime> {
  using Base = FineTimes<TracedTime>;

public:
  LoggedTimes(const TimesOptions &O, SlackLog &Log)
      : Base(O, Nobody), Log(Log) {}

  /// Readers that are forgotten for a later one still allow no more than what
  /// overwrites: a node without an instruction stands for both.
  Stamp latest(Stamp A, Stamp B, bool &);

  Node begin(const Step &S) {
    After.clear();
    if (O.Control == ControlMode::Exact) {
      Node N = Base::begin(S);
      note(Threads[S.Thread].Frames.back().Branches.innermost());
      return N;
    }
    return Base::begin(S);
  }
  void add(Node &N, const Step &S, Stamp Of, EdgeKind Kind) {
    note(Of);
    Base::add(N, S, Of, Kind);
  }
  Stamp finish(Node &N, const Step &S, const NodeCode *Code, bool Stack);
  void end(const Step &S) {
    Base::end(S);
    NewStep = true;
    Returned = S.Returns;
  }
  void enter(const Step &S) {
    Base::enter(S);
    frame(SlackLog::Enter, S.Thread);
  }
  void leave(unsigned Thread) {
    Base::leave(Thread);
    frame(SlackLog::Leave, Thread);
    Returned = false;
  }
  Deferred defer(const Step &S, Stamp Made, unsigned) {
    return {Time::time(Made) - S.Code->Latency, S.Code->Latency,
            Time::node(Made)};
  }
  Stamp undefer(const Deferred &D, Stamp Made, unsigned Depth, unsigned Thread,
                llvm::ArrayRef<Stamp> Needs);

private:
  using Time = TracedTime;
  void note(Stamp Of) {
    if (Time::node(Of) && !llvm::is_contained(After, Of))
      After.push_back(Of);
  }
  /// The numbers of After, the latest first.
  llvm::ArrayRef<uint32_t> numbers();
  void frame(SlackLog::Kind Kind, unsigned Thread);

  static inline IgnoreTimes Nobody;
  SlackLog &Log;
  bool NewStep = true, Returned = false;
  llvm::SmallVector<Stamp, 8> After;
  llvm::SmallVector<uint32_t, 8> Numbers;
};

/// Calls \p F with each node and its slack, the last one first. \p O: what was
/// measured; \p Length: what came of it. Ends the log. Memory: some bytes for
/// each place whose value is used long after it was made, and two blocks of the
/// log.
llvm::Error
forEachSlack(SlackLog &Log, const TimesOptions &O, uint64_t Length,
             const Watch &W,
             llvm::function_ref<void(const SlackLog::Record &, uint64_t)> F);

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_SLACK_H
