//===- Perfetto.cpp - Perfetto's trace.proto ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/PerfettoTrace.h"
#include "core/export/Timeline.h"
#include "core/store/TraceStore.h"

namespace rw {

namespace {

class PerfettoTimeline final : public TimelineWriter {
public:
  PerfettoTimeline(PerfettoTrace &Out, FunctionNames &Names)
      : Out(Out), Names(Names) {}

  void beginThread(ThreadIndex T, llvm::StringRef Name) override {
    Track = T + 1;
    Out.thread(Track, Pid, T + 1, Name);
  }
  void beginSlice(uint64_t Time, const FunctionKey &F,
                  const CallNode &N) override {
    uint64_t &Name = Labels[F];
    if (!Name)
      Name = Out.name(functionLabel(Names, F));
    Out.event(PerfettoTrace::EventType::Begin, Track, Time, Name,
              F.Exception ? "exception" : "call");
    Out.annotate("position", N.Call.Start);
    if (N.TailCall)
      Out.annotate("tail call", 1);
    Out.finish();
  }
  void endSlice(uint64_t Time) override {
    Out.event(PerfettoTrace::EventType::End, Track, Time);
    Out.finish();
  }
  void instant(uint64_t Time, llvm::StringRef Name, Position Pos,
               uint64_t Count) override {
    Out.event(PerfettoTrace::EventType::Instant, Track, Time, Out.name(Name),
              "event");
    Out.annotate("position", Pos);
    if (Count > 1)
      Out.annotate("count", Count);
    Out.finish();
  }

  static constexpr uint64_t Pid = 1;

private:
  PerfettoTrace &Out;
  FunctionNames &Names;
  uint64_t Track = 0;
  std::map<FunctionKey, uint64_t> Labels;
};

} // namespace

llvm::Expected<TimelineSummary> exportPerfetto(const CallQuery &Q,
                                               CostUnit Unit,
                                               llvm::StringRef Title,
                                               llvm::raw_ostream &Out) {
  PerfettoTrace Trace(
      Out, Unit == CostUnit::Time
               ? nanosecondsPerUnit(Q.Store.header().TimeUnit).value_or(1)
               : 1);
  // The process that the threads belong to.
  Trace.process(~uint64_t(0), PerfettoTimeline::Pid, Title);
  PerfettoTimeline To(Trace, Q.Names);
  return writeTimeline(Q, Unit, To);
}

} // namespace rw
