//===- Speedscope.cpp - speedscope's file format --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallContexts.h"
#include "core/export/CallExport.h"
#include "core/model/TimeUnit.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/JSON.h"

namespace rw {

namespace {

/// Writes events as they happen; frames get numbers as they turn up.
class EventWriter final : public CallVisitor {
public:
  EventWriter(llvm::json::OStream &J, FunctionNames &Names, CostUnit Unit,
              std::map<FunctionKey, unsigned> &Frames)
      : J(J), Names(Names), Unit(Unit), Frames(Frames) {}

  llvm::Error enter(const CallNode &N) override {
    unsigned Frame =
        Frames.try_emplace(functionOf(Names, N), unsigned(Frames.size()))
            .first->second;
    Open.push_back(Frame);
    event("O", Frame, Unit == CostUnit::Time ? N.StartTime : N.Call.Start);
    return llvm::Error::success();
  }
  llvm::Error leave(const CallNode &N, const CallNode *) override {
    event("C", Open.back(), Unit == CostUnit::Time ? N.EndTime : N.Call.End);
    Open.pop_back();
    return llvm::Error::success();
  }

private:
  void event(const char *Type, unsigned Frame, uint64_t At) {
    J.object([&] {
      J.attribute("type", Type);
      J.attribute("frame", Frame);
      J.attribute("at", At);
    });
  }
  llvm::json::OStream &J;
  FunctionNames &Names;
  CostUnit Unit;
  std::map<FunctionKey, unsigned> &Frames;
  std::vector<unsigned> Open;
};

/// The name of one of the units that speedscope has.
llvm::StringRef speedscopeUnit(llvm::StringRef Name) {
  const TimeUnit *U = findTimeUnit(Name);
  return U && U->Nanoseconds >= 1 ? U->Long : "none";
}

} // namespace

llvm::Error exportSpeedscope(const CallQuery &Q, CostUnit Unit,
                             llvm::StringRef Title, llvm::raw_ostream &Out) {
  llvm::json::OStream J(Out);
  std::map<FunctionKey, unsigned> Frames;
  SweepOptions Options;
  Options.Times = Unit == CostUnit::Time;
  llvm::Error Failure = llvm::Error::success();
  J.objectBegin();
  J.attribute("$schema", "https://www.speedscope.app/file-format-schema.json");
  J.attribute("name", llvm::json::fixUTF8(Title));
  J.attribute("exporter", "rewind");
  J.attributeArray("profiles", [&] {
    for (ThreadIndex T = 0; T < Q.Index.numThreads(); ++T) {
      if (Q.Index.size(T) == 0)
        continue;
      SiteReader Sites(Q.Store, T);
      uint64_t End = Q.Store.numInstructions(T), Start = 0;
      if (Unit == CostUnit::Time) {
        auto From = Sites.timeAt(0), To = Sites.timeAt(End);
        if (!From || !To) {
          Failure = llvm::joinErrors(From.takeError(), To.takeError());
          return;
        }
        Start = *From;
        End = *To;
      }
      const auto &Infos = Q.Store.header().Threads;
      std::string Name = T < Infos.size() && !Infos[T].Name.empty()
                             ? Infos[T].Name
                             : "thread " + std::to_string(T + 1);
      J.object([&] {
        J.attribute("type", "evented");
        J.attribute("name", llvm::json::fixUTF8(Name));
        J.attribute("unit", Unit == CostUnit::Time
                                ? speedscopeUnit(Q.Store.header().TimeUnit)
                                : "none");
        J.attribute("startValue", Start);
        J.attribute("endValue", End);
        J.attributeArray("events", [&] {
          EventWriter Writer(J, Q.Names, Unit, Frames);
          Failure = sweepCalls(Q, T, Options, Writer);
        });
      });
      if (Failure)
        return;
    }
  });
  if (!Failure) {
    std::vector<const FunctionKey *> ByNumber(Frames.size());
    for (const auto &[Key, Number] : Frames)
      ByNumber[Number] = &Key;
    J.attributeObject("shared", [&] {
      J.attributeArray("frames", [&] {
        for (const FunctionKey *Key : ByNumber) {
          const FunctionNames::Function &F = Q.Names.at(Key->Start);
          J.object([&] {
            J.attribute("name",
                        llvm::json::fixUTF8(functionLabel(Q.Names, *Key)));
            if (!F.File.empty()) {
              J.attribute("file", llvm::json::fixUTF8(F.File));
              J.attribute("line", F.Line);
            }
          });
        }
      });
    });
  }
  J.objectEnd();
  Out << "\n";
  return Failure;
}

} // namespace rw
