//===- ReplayEngineTest.cpp - Running in both directions ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaySupport.h"
#include "core/store/TraceStore.h"
#include <set>

using namespace rw;

namespace {

struct Watch {
  uint64_t Addr, Size;
  AccessKind Kind;
};

class ReplayEngineTest : public ReplayTest {
protected:
  /// Some pcs and ranges that the trace uses, and some that it does not.
  void pickStops(Rng &R, unsigned NumBreaks, unsigned NumWatches) {
    Breaks.clear();
    Watches.clear();
    std::vector<uint64_t> PCs = Model.distinctPCs();
    for (unsigned I = 0; I < NumBreaks; ++I)
      Breaks.insert(R.chance(0.1) ? R.next() : R.pick(PCs));
    for (unsigned I = 0; I < NumWatches && !Model.mems().empty(); ++I) {
      const MemItem &M = R.pick(Model.mems());
      Watches.push_back({M.Addr, R.pick(std::vector<uint64_t>{1, 4, 8, 64}),
                         AccessKind(R.between(1, 3))});
    }
  }
  void apply(ReplayEngine &E) const {
    for (uint64_t PC : Breaks)
      E.addBreakpoint(PC);
    for (const Watch &W : Watches)
      E.addWatchpoint(W.Addr, W.Size, W.Kind);
  }
  bool breaks(Moment M) const { return Breaks.count(Model.insns()[M].Item.PC); }
  bool watched(Moment M) const {
    for (const Watch &W : Watches)
      if (auto Last = Model.lastAccess(W.Addr, W.Size, W.Kind, M + 1))
        if (*Last == M)
          return true;
    return false;
  }

  std::set<uint64_t> Breaks;
  std::vector<Watch> Watches;
};

ReplayStop must(llvm::Expected<ReplayStop> S) {
  if (S)
    return *S;
  ADD_FAILURE() << llvm::toString(S.takeError());
  return {};
}

/// Forwards, a stop is in front of each breakpoint and behind each access, in
/// the order of time.
TEST_F(ReplayEngineTest, RunsForwardLikeAWalk) {
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 400);
    make(Knobs, Seed);
    if (HasFatalFailure() || Model.numInstructions() == 0)
      continue;
    Rng R(Seed);
    pickStops(R, 3, 2);
    // (place, watchpoint?) in order; at one place the access comes first.
    std::vector<std::pair<Moment, bool>> Expected;
    for (Moment M = 0; M < Model.numInstructions(); ++M) {
      if (breaks(M))
        Expected.push_back({M, false});
      if (watched(M))
        Expected.push_back({M + 1, true});
    }
    // The first instruction's breakpoint is where we stand already.
    if (!Expected.empty() && Expected[0] == std::pair<Moment, bool>(0, false))
      Expected.erase(Expected.begin());
    std::stable_sort(
        Expected.begin(), Expected.end(), [](const auto &A, const auto &B) {
          return A.first != B.first ? A.first < B.first : A.second > B.second;
        });
    ReplayEngine E(Store);
    apply(E);
    for (auto [When, Watch] : Expected) {
      ReplayStop S = must(E.runForward());
      ASSERT_EQ(E.here().When, When);
      ASSERT_EQ(S.What,
                Watch ? ReplayStop::Watchpoint : ReplayStop::Breakpoint);
      ASSERT_EQ(S.Thread, Model.threadAt(Watch ? When - 1 : When));
      ASSERT_EQ(E.here().Thread, S.Thread);
    }
    ASSERT_EQ(must(E.runForward()).What, ReplayStop::HistoryEnd);
    ASSERT_EQ(E.here().When, Model.numInstructions());
    ASSERT_EQ(must(E.runForward()).What, ReplayStop::HistoryEnd);
  }
}

/// For one thread others run no farther than to its end, and do not stop.
TEST_F(ReplayEngineTest, RunsForOneThreadToItsEnd) {
  unsigned Shorter = 0;
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    SCOPED_TRACE(Seed);
    make(randomKnobs(Seed, 400), Seed);
    if (HasFatalFailure() || Model.numInstructions() == 0)
      continue;
    Rng R(Seed);
    pickStops(R, 2, 1);
    for (ThreadIndex T = 0; T < Store->numThreads(); ++T) {
      Moment Ends = 0;
      for (Moment M = 0; M < Model.numInstructions(); ++M)
        if (Model.threadAt(M) == T)
          Ends = M + 1;
      std::vector<Moment> Stops;
      for (Moment M = 0; M < Ends; ++M) {
        if (Model.threadAt(M) != T)
          continue;
        if (breaks(M) && (M || T != ReplayEngine(Store).here().Thread))
          Stops.push_back(M);
        if (watched(M))
          Stops.push_back(M + 1);
      }
      llvm::sort(Stops);
      ReplayEngine E(Store);
      apply(E);
      for (Moment When : Stops) {
        must(E.runForward(T));
        ASSERT_EQ(E.here().When, When);
      }
      for (int Again = 0; Again < 2; ++Again) {
        ASSERT_EQ(must(E.runForward(T)).What, ReplayStop::HistoryEnd);
        ASSERT_EQ(E.here().When, Ends);
        ASSERT_EQ(E.here().Thread, T);
      }
      Shorter += Ends < Model.numInstructions();
      must(E.runForward());
      ASSERT_GE(E.here().When, Ends);
    }
  }
  EXPECT_GT(Shorter, 10u);
}

/// Backwards, a stop is in front of both.
TEST_F(ReplayEngineTest, RunsBackwardLikeAWalk) {
  for (uint64_t Seed = 1; Seed <= 40; ++Seed) {
    SCOPED_TRACE(Seed);
    make(randomKnobs(Seed, 400), Seed);
    if (HasFatalFailure() || Model.numInstructions() == 0)
      continue;
    Rng R(Seed);
    pickStops(R, 3, 2);
    ReplayEngine E(Store);
    must(E.runForward());
    apply(E);
    for (Moment M = Model.numInstructions(); M-- > 0;) {
      if (!breaks(M) && !watched(M))
        continue;
      ReplayStop S = must(E.runBackward());
      ASSERT_EQ(E.here().When, M);
      ASSERT_EQ(S.Thread, Model.threadAt(M));
      ASSERT_TRUE(S.What == ReplayStop::Breakpoint ? breaks(M) : watched(M));
    }
    ASSERT_EQ(must(E.runBackward()).What, ReplayStop::HistoryBegin);
    ASSERT_EQ(E.here().When, 0u);
  }
}

TEST_F(ReplayEngineTest, StepsOneThreadOverTheOthers) {
  for (uint64_t Seed = 1; Seed <= 10; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 300);
    Knobs.Threads = 3;
    Knobs.ThreadRun = 4;
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    ThreadIndex T = Seed % 3;
    uint64_t Count = Model.numInstructions(T);
    ReplayEngine E(Store);
    for (Position P = 0; P < Count; ++P) {
      auto PC = E.pc(T);
      ASSERT_TRUE(bool(PC));
      ASSERT_EQ(**PC, Model.insns()[Model.momentOf(T, P)].Item.PC);
      ReplayStop S = must(E.stepForward(T));
      ASSERT_EQ(S.What,
                P + 1 == Count ? ReplayStop::HistoryEnd : ReplayStop::Step);
      ASSERT_EQ(S.Thread, T);
      ASSERT_EQ(E.here().When, Model.momentOf(T, P) + 1);
    }
    ASSERT_EQ(must(E.stepForward(T)).What, ReplayStop::HistoryEnd);
    for (Position P = Count; P-- > 0;) {
      ASSERT_EQ(must(E.stepBackward(T)).What, ReplayStop::Step);
      ASSERT_EQ(E.here().When, Model.momentOf(T, P));
    }
    ASSERT_EQ(must(E.stepBackward(T)).What, ReplayStop::HistoryBegin);
  }
}

/// Where one already stands at a breakpoint, running does not stop at once; a
/// breakpoint behind a watched access, or a step, is news.
TEST_F(ReplayEngineTest, TellsABreakpointOnce) {
  TraceKnobs Knobs;
  Knobs.Length = 50;
  Knobs.Shape = ProgramShape::Straight;
  make(Knobs, 3);
  ReplayEngine E(Store);
  E.addBreakpoint(Model.insns()[7].Item.PC);
  E.land({7, 0}, ReplayStop(ReplayStop::Landing, "goto #7"));
  ReplayStop S = must(E.runForward());
  EXPECT_EQ(S.What, ReplayStop::Landing);
  EXPECT_EQ(S.Text, "goto #7");
  must(E.runForward());
  EXPECT_GT(E.here().When, 7u);
  E.land({6, 0}, ReplayStop(ReplayStop::Landing));
  must(E.runBackward());
  EXPECT_EQ(must(E.stepForward(0)).What, ReplayStop::Step);
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::Breakpoint);
  EXPECT_EQ(E.here().When, 7u);
}

/// A reverse step that the debugger carries out in pieces, as it does from
/// breakpoints whose condition is false, ends where it would have in one.
TEST_F(ReplayEngineTest, RunsBackToInPieces) {
  for (uint64_t Seed = 1; Seed <= 30; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 300);
    Knobs.Threads = 1;
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    Rng R(Seed);
    pickStops(R, 2, 1);
    Moment From = R.between(50, Model.numInstructions() - 1);
    Moment To = R.below(From);
    ReplayEngine E(Store);
    apply(E);
    E.land({From, 0}, ReplayStop(ReplayStop::Landing));
    must(E.runForward());
    E.runBackTo({To, 0}, ReplayStop(ReplayStop::Landing, "reverse step"));
    std::set<Moment> Seen;
    for (;;) {
      Moment Before = E.here().When;
      if (R.chance(0.3)) {
        ASSERT_EQ(must(E.stepForward(0)).What, ReplayStop::Step);
        ASSERT_EQ(E.here().When, Before);
        ASSERT_TRUE(E.nowhere());
        ASSERT_FALSE(Breaks.count(*E.nowhere()));
      }
      ReplayStop S = must(E.runForward());
      ASSERT_FALSE(E.nowhere());
      if (S.What == ReplayStop::Landing)
        break;
      ASSERT_LT(E.here().When, Before);
      ASSERT_GE(E.here().When, To);
      Seen.insert(E.here().When);
    }
    EXPECT_EQ(E.here().When, To);
    std::set<Moment> Expected;
    for (Moment M = To; M < From; ++M)
      if (breaks(M) || watched(M))
        Expected.insert(M);
    EXPECT_EQ(Seen, Expected);
  }
}

/// A debugger steps all threads off breakpoints before it lets them run, one at
/// a time, those too that come onto one while another is stepped. What follows
/// is what would be without breakpoints to get off. Where it cannot be told
/// that threads are to run, a step is one, and the debugger knows of the
/// breakpoints that steps come to.
TEST_F(ReplayEngineTest, StepsOffBreakpointsLeapOverNothing) {
  unsigned Late = 0, Ended = 0, Skipped = 0;
  for (uint64_t Seed = 1; Seed <= 200; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 200);
    Knobs.Threads = unsigned(2 + Seed % 2);
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    if (Store->numThreads() < 2)
      continue;
    Rng R(Seed);
    pickStops(R, 4, 0);
    const Instant From{R.below(Model.numInstructions()),
                       ThreadIndex(R.below(Store->numThreads()))};
    ReplayEngine E(Store), Direct(Store);
    for (ReplayEngine *Each : {&E, &Direct}) {
      apply(*Each);
      Each->expectEndOfJumps();
      Each->land(From, ReplayStop(ReplayStop::Landing));
      must(Each->runForward());
      Each->endJump();
    }
    const bool Known = Seed % 4 == 0;
    if (Known)
      E.setStepHooks([](ThreadIndex) { return true; }, nullptr);
    std::set<Moment> Told;
    auto Next = [&](ThreadIndex T) {
      return Model.momentOf(T, Model.positionOf(T, E.here().When));
    };
    auto Under = [&](ThreadIndex T) -> std::optional<uint64_t> {
      auto PC = E.pc(T);
      if (PC && *PC && !E.nowhere() && Breaks.count(**PC))
        return **PC;
      llvm::consumeError(PC.takeError());
      return std::nullopt;
    };
    // What was under them when the debugger first looked.
    std::vector<std::pair<ThreadIndex, uint64_t>> ToStep;
    for (ThreadIndex T = 0; T < Store->numThreads(); ++T)
      if (auto PC = Under(T))
        ToStep.push_back({T, *PC});
    for (unsigned Steps = 0; !ToStep.empty() && Steps < 6; ++Steps) {
      const auto [T, PC] = ToStep.back();
      ToStep.pop_back();
      const bool End =
          *Store->positionOf(T, E.here().When) == Store->numInstructions(T);
      Ended += End;
      E.removeBreakpoint(PC);
      ASSERT_EQ(must(E.stepForward(T)).What, ReplayStop::Step);
      ASSERT_EQ(E.nowhere().has_value(), Known || End);
      if (auto Now = Under(T); Now && *Now != PC)
        Told.insert(Next(T));
      E.addBreakpoint(PC);
      for (ThreadIndex Other = 0; Other < Store->numThreads(); ++Other)
        if (auto Now = Under(Other);
            Now && Other != T &&
            llvm::none_of(ToStep, [&](auto &S) { return S.first == Other; })) {
          ToStep.push_back({Other, *Now});
          ++Late;
        }
    }
    ReplayStop S = must(E.runForward()), Wanted = must(Direct.runForward());
    for (; Wanted.What == ReplayStop::Breakpoint &&
           Told.count(Direct.here().When);
         ++Skipped)
      Wanted = must(Direct.runForward());
    EXPECT_EQ(S.What, Wanted.What);
    EXPECT_EQ(S.Thread, Wanted.Thread);
    EXPECT_EQ(E.here().When, Direct.here().When);
  }
  EXPECT_GT(Late, 5u);
  EXPECT_GT(Ended, 5u);
  EXPECT_GT(Skipped, 0u);
}

/// A debugger takes a breakpoint that a single step comes to for one that was
/// hit. Where the other threads have not come as far, it may have found that a
/// condition does not hold yet: then it has counted nothing, and is told again.
TEST_F(ReplayEngineTest, ABreakpointThatAStepComesToIsToldOnce) {
  unsigned Once = 0, Again = 0;
  for (uint64_t Seed = 1; Seed <= 60; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 200);
    Knobs.Threads = 2;
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    for (Moment From = 0; From < Model.numInstructions(); ++From) {
      const ThreadIndex T = Model.threadAt(From);
      const Moment Next = Model.momentOf(T, Model.positionOf(T, From) + 1);
      if (Next >= Model.numInstructions())
        continue;
      Breaks = {Model.insns()[Next].Item.PC};
      for (const bool Counts : {true, false}) {
        ReplayEngine E(Store);
        apply(E);
        E.expectEndOfJumps();
        uint64_t Hits = 0;
        E.setStepHooks(nullptr, [&](uint64_t) { return Hits; });
        E.land({From, T}, ReplayStop(ReplayStop::Landing));
        must(E.runForward());
        E.endJump();
        ASSERT_EQ(must(E.stepForward(T)).What, ReplayStop::Step);
        Hits += Counts;
        E.endJump();
        must(E.runForward());
        const bool Told = Counts || Next == From + 1;
        (Told ? Once : Again) += 1;
        Moment Wanted = From + 1;
        while (Wanted < Model.numInstructions() &&
               !(breaks(Wanted) && !(Told && Wanted == Next)))
          ++Wanted;
        ASSERT_EQ(E.here().When, Wanted);
        // Backward it is a hit like any other.
        const Moment Here = E.here().When;
        must(E.runBackward());
        if (Next < Here) {
          ASSERT_GE(E.here().When, Next);
        }
      }
    }
  }
  EXPECT_GT(Once, 50u);
  EXPECT_GT(Again, 50u);
}

TEST_F(ReplayEngineTest, CancelledLandingIsForgotten) {
  TraceKnobs Knobs;
  Knobs.Length = 20;
  make(Knobs, 1);
  ReplayEngine E(Store);
  E.land({5, 0}, ReplayStop(ReplayStop::Landing));
  E.cancelLanding();
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::HistoryEnd);
}

TEST_F(ReplayEngineTest, WhatIsSetTwiceIsRemovedAtOnce) {
  TraceKnobs Knobs;
  Knobs.Length = 20;
  Knobs.Shape = ProgramShape::Straight;
  make(Knobs, 1);
  ReplayEngine E(Store);
  uint64_t PC = Model.insns()[9].Item.PC;
  E.addBreakpoint(PC);
  E.addBreakpoint(PC);
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::Breakpoint);
  E.removeBreakpoint(PC);
  E.removeBreakpoint(PC);
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::HistoryEnd);
}

/// Memory as the model knows it; nothing that only an image could tell.
TEST_F(ReplayEngineTest, MemoryIsTheModels) {
  TraceKnobs Knobs = randomKnobs(5, 400);
  Knobs.Memory = Knobs.Values = true;
  make(Knobs, 5);
  MemoryView View(Store);
  Rng R(5);
  std::vector<uint64_t> Places = Model.knownBytes();
  ASSERT_FALSE(Places.empty());
  std::vector<uint64_t> PCs = Model.distinctPCs();
  for (unsigned I = 0; I < 300; ++I) {
    uint64_t Addr = R.pick(Places) - R.below(8);
    Moment M = R.below(Model.numInstructions() + 1);
    std::vector<uint8_t> Bytes(16), Known(16);
    llvm::Error E = View.read(M, Addr, Bytes, Known);
    ASSERT_FALSE(bool(E));
    auto Expected = Model.memoryAt(M, Addr, 16);
    for (unsigned K = 0; K < 16; ++K) {
      if (Expected[K].Known) {
        ASSERT_TRUE(Known[K]);
        ASSERT_EQ(Bytes[K], Expected[K].Value);
        continue;
      }
      // Known all the same: then it is code.
      auto Next = llvm::upper_bound(PCs, Addr + K);
      bool Code = Next != PCs.begin() && Addr + K - *std::prev(Next) < 8;
      ASSERT_TRUE(!Known[K] || Code);
    }
  }
}

TEST_F(ReplayEngineTest, ImageFillsInOnlyWhatIsUnknown) {
  TraceKnobs Knobs;
  Knobs.Length = 100;
  make(Knobs, 2);
  ASSERT_FALSE(Model.knownBytes().empty());
  uint64_t Addr = Model.knownBytes().front();
  Moment End = Model.numInstructions();
  auto Truth = Model.memoryAt(End, Addr, 1);
  MemoryView View(Store);
  View.addReadOnly(Addr - 4, std::vector<uint8_t>(8, 0x5a));
  std::vector<uint8_t> Bytes(1), Known(1);
  llvm::cantFail(View.read(End, Addr, Bytes, Known));
  EXPECT_TRUE(Known[0]);
  if (Truth[0].Known) {
    EXPECT_EQ(Bytes[0], Truth[0].Value);
  } else {
    EXPECT_EQ(Bytes[0], 0x5a);
  }
  uint64_t Nowhere = 0xdead00000000;
  View.addReadOnly(Nowhere, {1, 2, 3, 4});
  Bytes.assign(8, 0xee);
  Known.assign(8, 0);
  llvm::cantFail(View.read(0, Nowhere - 2, Bytes, Known));
  EXPECT_EQ(Known, (std::vector<uint8_t>{0, 0, 1, 1, 1, 1, 0, 0}));
  EXPECT_EQ(Bytes, (std::vector<uint8_t>{0xee, 0xee, 1, 2, 3, 4, 0xee, 0xee}));
}

/// Stops only where the condition holds, in both directions, and where a user
/// interrupts the search.
TEST_F(ReplayEngineTest, ConditionsPassStopsBy) {
  make(TraceKnobs(), 11);
  ReplayEngine E(Store);
  MemoryView Memory(Store);
  StopConditions Conditions(*Store, Memory);
  std::map<uint64_t, std::vector<Moment>> Visits;
  for (Moment M = 0; M < Model.insns().size(); ++M)
    Visits[Model.insns()[M].Item.PC].push_back(M);
  auto Often = std::max_element(Visits.begin(), Visits.end(),
                                [](const auto &A, const auto &B) {
                                  return A.second.size() < B.second.size();
                                });
  ASSERT_GT(Often->second.size(), 3u);
  ConditionTexts Texts;
  Texts.Breakpoints[Often->first] = {"$rewind_position % 3 == 1", "0 && 1"};
  Conditions.set(Texts);
  bool Stop = false;
  E.setHooks([&] { return &Conditions; }, [&] { return Stop; });
  E.addBreakpoint(Often->first);
  std::vector<Moment> Wanted, Found;
  for (Moment M : Often->second) {
    auto T = Store->threadAt(M);
    ASSERT_TRUE(bool(T));
    auto P = Store->positionOf(*T, M);
    ASSERT_TRUE(bool(P));
    if (M > 0 && *P % 3 == 1)
      Wanted.push_back(M);
  }
  while (must(E.runForward()).What == ReplayStop::Breakpoint)
    Found.push_back(E.here().When);
  EXPECT_EQ(Found, Wanted);
  Found.clear();
  while (must(E.runBackward()).What == ReplayStop::Breakpoint)
    Found.push_back(E.here().When);
  EXPECT_EQ(Found, std::vector<Moment>(Wanted.rbegin(), Wanted.rend()));
  Stop = true;
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::Interrupted);
  EXPECT_EQ(E.here().When, 0u);
  // What is not understood is the debugger's to test.
  Stop = false;
  Texts.Breakpoints[Often->first].push_back("item->count == 3");
  Conditions.set(Texts);
  ReplayStop S = must(E.runForward());
  EXPECT_EQ(S.What, ReplayStop::Breakpoint);
  EXPECT_EQ(E.here().When, Often->second[Often->second[0] == 0]);
}

/// A run backwards that the user interrupts is over once the debugger looks at
/// where it stopped. LLDB itself interrupts one to set breakpoints.
TEST_F(ReplayEngineTest, AnInterruptedRunBackIsOver) {
  make(TraceKnobs(), 12);
  ReplayEngine E(Store);
  bool Stop = false, Awaited = false;
  E.setHooks(
      nullptr, [&] { return Stop; }, [&] { return Awaited; });
  const Moment End = Store->numInstructions();
  while (must(E.runForward()).What != ReplayStop::HistoryEnd)
    ;
  auto back = [&](bool Interrupts) {
    E.runBackTo({0, 0}, ReplayStop::HistoryBegin);
    Stop = Interrupts;
    const auto What = must(E.runForward()).What;
    Stop = false;
    return What;
  };
  EXPECT_EQ(back(true), ReplayStop::Interrupted);
  EXPECT_EQ(E.here().When, End);
  E.addBreakpoint(Model.insns().front().Item.PC);
  EXPECT_NE(must(E.runForward()).What, ReplayStop::HistoryEnd); // still back
  while (must(E.runForward()).What != ReplayStop::HistoryEnd)
    E.endJump();
  E.removeBreakpoint(Model.insns().front().Item.PC);

  EXPECT_EQ(back(true), ReplayStop::Interrupted);
  E.stopIsLookedAt();
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::HistoryEnd);

  // Asked for again it goes back again.
  EXPECT_EQ(back(true), ReplayStop::Interrupted);
  E.runBackTo({0, 0}, ReplayStop::HistoryBegin);
  E.stopIsLookedAt();
  EXPECT_EQ(must(E.runForward()).What, ReplayStop::HistoryBegin);

  // A stop at a breakpoint for which somebody waits is the user's, too.
  while (must(E.runForward()).What != ReplayStop::HistoryEnd)
    E.endJump();
  E.addBreakpoint(Model.insns()[End / 2].Item.PC);
  Awaited = true;
  EXPECT_EQ(back(false), ReplayStop::Breakpoint);
  Awaited = false;
  E.stopIsLookedAt();
  const Moment There = E.here().When;
  must(E.runForward());
  EXPECT_GT(E.here().When, There);
}

/// What is not compiled is asked of the tester, and of the debugger where that
/// does not know.
TEST_F(ReplayEngineTest, OthersTestWhatIsNotCompiled) {
  make(TraceKnobs(), 11);
  std::map<uint64_t, std::vector<Moment>> Visits;
  for (Moment M = 1; M < Model.insns().size(); ++M)
    Visits[Model.insns()[M].Item.PC].push_back(M);
  const auto &[PC, Places] =
      *llvm::max_element(Visits, [](const auto &A, const auto &B) {
        return A.second.size() < B.second.size();
      });
  ASSERT_GT(Places.size(), 4u);
  struct Tester final : ConditionTester {
    std::map<Moment, StopReason::Kind> Says;
    llvm::Expected<std::optional<bool>> test(llvm::StringRef Condition,
                                             ThreadIndex, Moment M) override {
      EXPECT_EQ(Condition, "list[0].cost == 3");
      if (auto It = Says.find(M); It == Says.end())
        return false;
      else if (It->second == StopReason::True)
        return true;
      else if (It->second == StopReason::Unknown)
        return std::nullopt;
      return llvm::createStringError("no list");
    }
  } Others;
  // In the order of the visits: not understood, unknown, true.
  Others.Says = {{Places[1], StopReason::None},
                 {Places[2], StopReason::Unknown},
                 {Places[4], StopReason::True}};
  ReplayEngine E(Store);
  MemoryView Memory(Store);
  StopConditions Conditions(*Store, Memory, nullptr, &Others);
  ConditionTexts Texts;
  Texts.Breakpoints[PC] = {"list[0].cost == 3", "0 && 1"};
  Conditions.set(Texts);
  E.setHooks([&] { return &Conditions; }, [] { return false; });
  E.addBreakpoint(PC);
  std::vector<std::pair<Moment, StopReason::Kind>> Wanted, Found;
  for (const auto &[M, Says] : Others.Says)
    Wanted.push_back(
        {M, Says == StopReason::True ? StopReason::Holds : StopReason::None});
  auto Run = [&](auto Direction) {
    Found.clear();
    for (ReplayStop S; (S = Direction()).What == ReplayStop::Breakpoint;)
      Found.push_back({E.here().When, S.Reason.What});
  };
  Run([&] { return must(E.runForward()); });
  EXPECT_EQ(Found, Wanted);
  std::reverse(Wanted.begin(), Wanted.end());
  Run([&] { return must(E.runBackward()); });
  EXPECT_EQ(Found, Wanted);
}

/// Ignored hits are passed by and counted, of breakpoints and locations that
/// share a breakpoint, in both directions.
TEST_F(ReplayEngineTest, IgnoredHitsAreCounted) {
  uint64_t Passed = 0;
  for (unsigned Seed = 1; Seed <= 30; ++Seed) {
    make(randomKnobs(Seed, 400), Seed);
    if (Model.insns().empty())
      continue;
    ReplayEngine E(Store);
    MemoryView Memory(Store);
    StopConditions Conditions(*Store, Memory);
    Rng R(Seed);
    std::vector<uint64_t> PCs = Model.distinctPCs();
    // Each place has a location of one of two breakpoints, or of both.
    ConditionTexts Texts;
    Texts.Ignored.Breakpoints = {{1, R.below(20)}, {2, R.below(3)}};
    for (unsigned I = 0; I < 6; ++I) {
      const uint64_t PC = R.pick(PCs);
      if (Texts.Breakpoints.count(PC))
        continue;
      for (uint32_t Of = 0; Of < 2; ++Of) {
        if (R.chance(0.4))
          continue;
        Texts.Breakpoints[PC].push_back(R.chance(0.5) ? ""
                                                      : "$rewind_position & 1");
        Texts.Counted[PC].push_back(uint32_t(Texts.Ignored.Locations.size()));
        Texts.Ignored.Locations.push_back(
            {{I + 1, R.chance(0.3) ? R.below(5) : 0}, Of});
      }
    }
    IgnoredHits Naive = Texts.Ignored;
    E.setHooks(
        [&] {
          // As a debugger counts.
          for (const IgnoredHits &Told : E.takeIgnored()) {
            for (size_t B = 0; B < 2; ++B)
              Texts.Ignored.Breakpoints[B].Left -= Told.Breakpoints[B].Used;
            for (size_t L = 0; L < Told.Locations.size(); ++L) {
              Texts.Ignored.Locations[L].Left -= Told.Locations[L].Used;
              Passed += Told.Locations[L].Hits;
            }
          }
          Conditions.set(Texts);
          return &Conditions;
        },
        nullptr);
    for (const auto &[PC, Of] : Texts.Breakpoints)
      E.addBreakpoint(PC);
    uint64_t Hits = 0;
    auto Stops = [&](Moment M) {
      auto It = Texts.Breakpoints.find(Model.insns()[M].Item.PC);
      if (It == Texts.Breakpoints.end())
        return false;
      const auto T = Model.threadAt(M);
      std::vector<uint32_t> Ignoring;
      for (size_t I = 0; I < It->second.size(); ++I) {
        if (!It->second[I].empty() && !(Model.positionOf(T, M) & 1))
          continue;
        const uint32_t L = Texts.Counted[It->first][I];
        if (!Naive.ignores(L))
          return true;
        Ignoring.push_back(L);
      }
      for (uint32_t L : Ignoring)
        Naive.pass(L);
      Hits += Ignoring.size();
      return false;
    };
    const Moment End = Model.insns().size();
    Passed = 0;
    for (unsigned Way = 0; Way < 2; ++Way) {
      // Where it stands it has stopped already.
      Moment From = Way ? End : Model.threadAt(0) == E.here().Thread;
      for (unsigned Run = 0; Run < 6; ++Run) {
        std::optional<Moment> Wanted;
        if (Way) {
          for (Moment M = From; M-- > 0 && !Wanted;)
            if (Stops(M))
              Wanted = M;
        } else {
          for (Moment M = From; M < End && !Wanted; ++M)
            if (Stops(M))
              Wanted = M;
        }
        const ReplayStop S = must(Way ? E.runBackward() : E.runForward());
        ASSERT_EQ(S.What == ReplayStop::Breakpoint, bool(Wanted))
            << "seed " << Seed;
        if (!Wanted)
          break;
        ASSERT_EQ(E.here().When, *Wanted) << "seed " << Seed;
        From = *Wanted + !Way;
      }
      if (!Way)
        E.look({End, E.here().Thread});
    }
    // What the last run has passed by is told to whoever asks.
    for (const IgnoredHits &Told : E.takeIgnored())
      for (const auto &L : Told.Locations)
        Passed += L.Hits;
    EXPECT_EQ(Passed, Hits) << "seed " << Seed;
  }
}

/// Accesses that a watchpoint is to ignore are passed by and counted, once each
/// where the debugger watches an object with two watchpoints.
TEST_F(ReplayEngineTest, IgnoredAccessesAreCounted) {
  unsigned Ignoring = 0;
  for (unsigned Seed = 1; Seed <= 100; ++Seed) {
    TraceKnobs Knobs = randomKnobs(Seed, 400);
    Knobs.WrapAround = 0;
    make(Knobs, Seed);
    Rng R(Seed);
    std::vector<uint64_t> Written;
    for (const MemItem &I : Model.mems())
      if (I.Flags & MemItem::Write)
        Written.push_back(I.Addr);
    if (Written.empty())
      continue;
    const uint64_t Object = R.pick(Written) & ~uint64_t(7);
    if (Object > ~uint64_t(0) - 16)
      continue;
    std::vector<Moment> Accesses;
    for (Moment M = 0; M < Model.insns().size(); ++M)
      if (Model.lastAccess(Object, 16, AccessKind::Write, M + 1) == M)
        Accesses.push_back(M);
    ReplayEngine E(Store);
    MemoryView Memory(Store);
    StopConditions Conditions(*Store, Memory);
    ConditionTexts Texts;
    const uint64_t Most = R.below(2 * Accesses.size() + 1);
    Texts.Ignored.Watchpoints = {{{1, Most}}};
    for (uint64_t Part : {Object, Object + 8}) {
      E.addWatchpoint(Part, 8, AccessKind::Write);
      Texts.Watchpoints[{Part, 8}] = {{Object, 16, false, "", 0}};
    }
    uint64_t Passed = 0;
    auto Take = [&] {
      for (const IgnoredHits &Told : E.takeIgnored()) {
        Passed += Told.Watchpoints[0].Hits;
        Texts.Ignored.Watchpoints[0].Left -= Told.Watchpoints[0].Used;
      }
    };
    E.setHooks(
        [&] {
          Take();
          Conditions.set(Texts);
          return &Conditions;
        },
        nullptr);
    std::vector<Moment> &Hits = Accesses;
    const bool Back = R.chance(0.5);
    if (Back) {
      std::reverse(Hits.begin(), Hits.end());
      E.look({Model.insns().size(), E.here().Thread});
    }
    const size_t First = std::min<size_t>(Most, Hits.size());
    for (size_t N = First; N <= Hits.size(); ++N) {
      const ReplayStop S = must(Back ? E.runBackward() : E.runForward());
      if (N < Hits.size()) {
        ASSERT_EQ(S.Accessed, Hits[N]) << "seed " << Seed;
      }
      ASSERT_EQ(S.What == ReplayStop::Watchpoint, N < Hits.size())
          << "seed " << Seed;
      Take();
      ASSERT_EQ(Passed, First) << "seed " << Seed;
    }
    Ignoring += First && First < Hits.size();
  }
  EXPECT_GT(Ignoring, 10u);
}

} // namespace
