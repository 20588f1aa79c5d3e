//===- ChromeTrace.cpp - Chrome's trace event JSON ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/Timeline.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/JSON.h"

namespace rw {

namespace {

class ChromeWriter final : public TimelineWriter {
public:
  /// \p Scale: microseconds per unit, which is what the format counts in.
  ChromeWriter(llvm::json::OStream &J, FunctionNames &Names, double Scale)
      : J(J), Names(Names), Scale(Scale) {}

  void beginThread(ThreadIndex T, llvm::StringRef Name) override {
    Thread = T + 1;
    J.object([&] {
      J.attribute("ph", "M");
      J.attribute("name", "thread_name");
      J.attribute("pid", 1);
      J.attribute("tid", Thread);
      J.attributeObject(
          "args", [&] { J.attribute("name", llvm::json::fixUTF8(Name)); });
    });
  }
  void beginSlice(uint64_t Time, const FunctionKey &F,
                  const CallNode &N) override {
    Open.push_back({F, N.Call.Start, N.TailCall});
    slice("B", Time, Open.back());
  }
  void endSlice(uint64_t Time) override {
    slice("E", Time, Open.back());
    Open.pop_back();
  }
  void instant(uint64_t Time, llvm::StringRef Name, Position Pos,
               uint64_t Count) override {
    J.object([&] {
      J.attribute("ph", "i");
      J.attribute("s", "t");
      J.attribute("cat", "event");
      where(Time);
      J.attribute("name", llvm::json::fixUTF8(Name));
      J.attributeObject("args", [&] {
        J.attribute("position", Pos);
        if (Count > 1)
          J.attribute("count", Count);
      });
    });
  }

private:
  struct Slice {
    FunctionKey Function;
    Position Start;
    bool TailCall;
  };
  /// Some viewers (speedscope) pair ends with beginnings by name and arguments.
  void slice(const char *Phase, uint64_t Time, const Slice &S) {
    J.object([&] {
      J.attribute("ph", Phase);
      J.attribute("cat", S.Function.Exception ? "exception" : "call");
      where(Time);
      J.attribute("name",
                  llvm::json::fixUTF8(functionLabel(Names, S.Function)));
      J.attributeObject("args", [&] {
        J.attribute("position", S.Start);
        if (S.TailCall)
          J.attribute("tail_call", true);
      });
    });
  }
  void where(uint64_t Time) {
    J.attribute("pid", 1);
    J.attribute("tid", Thread);
    if (Scale == 1)
      J.attribute("ts", Time);
    else
      J.attribute("ts", double(Time) * Scale);
  }
  llvm::json::OStream &J;
  FunctionNames &Names;
  double Scale;
  unsigned Thread = 0;
  std::vector<Slice> Open;
};

} // namespace

llvm::Expected<TimelineSummary> exportChromeTrace(const CallQuery &Q,
                                                  CostUnit Unit,
                                                  llvm::StringRef Title,
                                                  llvm::raw_ostream &Out) {
  llvm::json::OStream J(Out);
  llvm::Expected<TimelineSummary> Summary = TimelineSummary();
  std::string TimeUnit =
      Unit == CostUnit::Time ? Q.Store.header().TimeUnit : "instructions";
  auto Nanoseconds = nanosecondsPerUnit(TimeUnit);
  J.object([&] {
    J.attributeArray("traceEvents", [&] {
      J.object([&] {
        J.attribute("ph", "M");
        J.attribute("name", "process_name");
        J.attribute("pid", 1);
        J.attributeObject(
            "args", [&] { J.attribute("name", llvm::json::fixUTF8(Title)); });
      });
      // Cycles and ticks are shown as if they were microseconds, the smallest
      // unit that viewers count in.
      ChromeWriter Writer(J, Q.Names, Nanoseconds ? *Nanoseconds / 1000 : 1);
      consumeError(Summary.takeError());
      Summary = writeTimeline(Q, Unit, Writer);
    });
    // No displayTimeUnit: older Perfetto (v20) takes it for the unit of the
    // times.
    J.attributeObject("otherData", [&] {
      J.attribute("exporter", "rewind");
      J.attribute("time_unit", TimeUnit);
    });
  });
  Out << "\n";
  return Summary;
}

} // namespace rw
