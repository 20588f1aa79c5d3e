//===- ReplayEngine.cpp - A position in a trace that runs -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/ReplayEngine.h"
#include "core/expr/StoreInput.h"
#include "core/replay/StopSearch.h"
#include "core/store/TraceStore.h"

using namespace rw;
using llvm::Expected;

using Found = ReplayEngine::Found;

ReplayEngine::ReplayEngine(std::shared_ptr<const TraceStore> S)
    : Store(std::move(S)) {
  if (auto T = Store->threadAt(0))
    Here.Thread = *T;
  else
    llvm::consumeError(T.takeError());
  Last.Thread = Here.Thread;
}

Instant ReplayEngine::here() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Here;
}

ReplayStop ReplayEngine::lastStop() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  return Between ? *Between : Last;
}

bool ReplayEngine::atEnd(ThreadIndex T) const {
  auto P = Store->positionOf(T, here().When);
  if (P)
    return *P >= Store->numInstructions(T);
  llvm::consumeError(P.takeError());
  return false;
}

void ReplayEngine::look(Instant At) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Here = At;
  Cache.clear();
}

std::optional<uint64_t> ReplayEngine::nowhere() const {
  {
    std::lock_guard<std::mutex> Lock(Mutex);
    if (!Between)
      return std::nullopt;
  }
  // The breakpoint that a thread is being stepped off is not set meanwhile.
  std::set<uint64_t> Taken;
  for (ThreadIndex T = 0; T < Store->numThreads(); ++T) {
    if (auto PC = pc(T); !PC)
      llvm::consumeError(PC.takeError());
    else if (*PC)
      Taken.insert(**PC);
  }
  std::lock_guard<std::mutex> Lock(Mutex);
  uint64_t Address = 0;
  while (Breakpoints.count(Address) || Taken.count(Address))
    Address += 16;
  return Address;
}

Expected<std::optional<uint64_t>> ReplayEngine::pc(ThreadIndex T) const {
  return pcAt(T, here().When);
}

Expected<std::optional<uint64_t>> ReplayEngine::pcAt(ThreadIndex T,
                                                     Moment When) const {
  return StoreInput(*Store, T, When).pc();
}

Expected<std::shared_ptr<const RegisterState>>
ReplayEngine::registers(ThreadIndex T) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto &Slot = Cache[T];
  if (!Slot) {
    auto S = Store->registersAt(T, Here.When);
    if (!S)
      return S.takeError();
    Slot = std::make_shared<const RegisterState>(std::move(*S));
  }
  return Slot;
}

void ReplayEngine::addBreakpoint(uint64_t PC) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Breakpoints.insert(PC);
  TakenAway.erase(PC);
}

void ReplayEngine::removeBreakpoint(uint64_t PC) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Breakpoints.erase(PC))
    TakenAway.insert(PC);
}

std::string rw::whyNotWatched(uint64_t Size) {
  constexpr uint64_t Most = uint64_t(1) << 16;
  if (!Size)
    return "there is nothing to watch: the size is 0";
  return Size <= Most ? ""
                      : "there are " + std::to_string(Size) +
                            " bytes to watch; at most " + std::to_string(Most) +
                            " can be: watch a part";
}

void ReplayEngine::addWatchpoint(uint64_t Addr, uint64_t Size,
                                 AccessKind Kind) {
  std::lock_guard<std::mutex> Lock(Mutex);
  const ReplayWatchpoint W = {Addr, Size, Kind};
  if (!llvm::is_contained(Watchpoints, W))
    Watchpoints.push_back(W);
}

void ReplayEngine::removeWatchpoint(uint64_t Addr, uint64_t Size,
                                    AccessKind Kind) {
  std::lock_guard<std::mutex> Lock(Mutex);
  std::erase(Watchpoints, ReplayWatchpoint{Addr, Size, Kind});
}

ReplayStop ReplayEngine::moveTo(Instant To, ReplayStop Why) {
  Why.Again = Why.What == ReplayStop::HistoryEnd && Here.When == To.When;
  // Steps may be undone; what else goes forward has left behind what it passed.
  if (To.When < Here.When || Why.What == ReplayStop::Landing)
    Told.clear();
  else if (Why.What != ReplayStop::Step)
    Told.erase(Told.begin(), Told.lower_bound(To.When));
  Here = To;
  Why.Thread = To.Thread;
  if (Why.What != ReplayStop::Step)
    Off.reset();
  Last = std::move(Why);
  Between.reset();
  Cache.clear();
  countMove();
  return Last;
}

void ReplayEngine::countMove() {
  LastMove = std::chrono::steady_clock::now();
  ++Moves;
}

void ReplayEngine::land(Instant To, ReplayStop Why) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending = {To, std::move(Why), false, Moves};
  Jumped = true;
}

void ReplayEngine::runBackTo(Instant To, ReplayStop Why) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending = {To, std::move(Why), true, Moves};
  Jumped = true;
}

void ReplayEngine::cancelLanding() {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending.reset();
  Between.reset();
  Jumped = false;
}

void ReplayEngine::forgetJump() {
  Pending.reset();
  Between.reset();
  Off.reset();
  TakenAway.clear();
}

bool ReplayEngine::endJump() {
  std::lock_guard<std::mutex> Lock(Mutex);
  forgetJump();
  return std::exchange(Jumped, false);
}

void ReplayEngine::stopIsLookedAt() {
  std::lock_guard<std::mutex> Lock(Mutex);
  // A new one is asked for after the stop, and without the debugger.
  if (!Pending || !Pending->Stoppable || Pending->Moves == Moves)
    return;
  if (Last.What == ReplayStop::Interrupted || Pending->StopAwaited ||
      (StopAwaited && StopAwaited()))
    forgetJump();
}

void ReplayEngine::expectEndOfJumps() {
  std::lock_guard<std::mutex> Lock(Mutex);
  // A thread that is alone leaps over nothing.
  EndsAreTold = Store->numThreads() > 1;
}

/// \p T is to be stepped. True if the debugger has taken a breakpoint away
/// there for the time, so that it may be only to run on. It looks for
/// breakpoints under all threads after each step, and the step of one moves the
/// others: it may mean one under which \p T does not stand any more.
Expected<bool> ReplayEngine::noteStep(ThreadIndex T) {
  if (!Off)
    Off = StepOff{Here, Last, {}, {}, EndsAreTold};
  if (!Off->Only)
    return false;
  Off->Looks.push_back(Here.When);
  std::vector<uint64_t> Left;
  for (Moment When : Off->Looks) {
    auto PC = pcAt(T, When);
    if (!PC)
      return PC.takeError();
    if (!*PC || !TakenAway.count(**PC))
      continue;
    Left.push_back(**PC);
    if (T != Off->From.Thread || When != Off->From.When ||
        When >= Store->numInstructions())
      continue;
    // LLDB steps the thread that stopped last off a breakpoint that it has told
    // of, or that was set since.
    auto First = Store->threadAt(When);
    if (!First)
      return First.takeError();
    if (*First == T)
      Told[When] = {**PC, std::nullopt};
  }
  Off->Only = !Left.empty();
  Off->Left.push_back(std::move(Left));
  return Off->Only;
}

/// Undoes the steps off breakpoints that come before a run.
void ReplayEngine::undoSteps() {
  auto Steps = std::exchange(Off, std::nullopt);
  // Other steps are a walk of LLDB's, through a line, say. A breakpoint that
  // the user has deleted is not back.
  auto IsBack = [&](uint64_t PC) { return Breakpoints.count(PC) != 0; };
  if (!Steps || !Steps->Only || !llvm::all_of(Steps->Left, [&](auto &PCs) {
        return llvm::any_of(PCs, IsBack);
      }))
    return;
  Here = Steps->From;
  Last = Steps->Last;
}

/// A single step has brought \p T to its instruction \p Position. LLDB takes a
/// breakpoint there for one that was hit, counts it, and stops or goes on.
llvm::Error ReplayEngine::noteArrival(ThreadIndex T, uint64_t Position) {
  if (!EndsAreTold || Breakpoints.empty() ||
      Position >= Store->numInstructions(T))
    return llvm::Error::success();
  auto PC = pcAt(T, Here.When);
  if (!PC)
    return PC.takeError();
  if (!*PC || !Breakpoints.count(**PC))
    return llvm::Error::success();
  auto M = Store->momentOf(T, Position);
  if (!M)
    return M.takeError();
  ToldHit Hit{**PC, std::nullopt};
  if (*M != Here.When && CountedHits)
    Hit.CountedBefore = CountedHits(Hit.PC);
  Told[*M] = Hit;
  return llvm::Error::success();
}

/// Where LLDB went on since a condition did not hold, it is asked again once
/// the others have come as far.
void ReplayEngine::forgetUncounted() {
  for (auto It = Told.begin(); It != Told.end();) {
    ToldHit &Hit = It->second;
    const auto Before = std::exchange(Hit.CountedBefore, std::nullopt);
    It = Before && CountedHits && CountedHits(Hit.PC) == Before ? Told.erase(It)
                                                                : std::next(It);
  }
}

std::chrono::steady_clock::duration ReplayEngine::idle() const {
  std::lock_guard<std::mutex> Lock(Mutex);
  using Clock = std::chrono::steady_clock;
  return Searching ? Clock::duration::zero() : Clock::now() - LastMove;
}

ReplayStop ReplayEngine::stepNowhere(ThreadIndex T) {
  Between = ReplayStop(ReplayStop::Step);
  Between->Thread = T;
  countMove();
  return *Between;
}

void ReplayEngine::setDepartures(Departures D) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Leaving = std::move(D);
}

std::vector<IgnoredHits> ReplayEngine::takeIgnored() {
  std::lock_guard<std::mutex> Lock(Mutex);
  return std::exchange(Ignored, {});
}

/// Where the last search has led is where one goes.
void ReplayEngine::keepPassed() {
  if (Passed.any())
    Ignored.push_back(std::move(Passed));
  Passed = {};
}

StopSearch ReplayEngine::search(std::optional<ThreadIndex> Alone,
                                bool ToTheEnd) const {
  static const std::function<bool()> Never;
  StopSearch S(*Store, Conditions ? Conditions() : nullptr,
               ToTheEnd ? Never : Interrupted);
  S.setAlone(Alone);
  for (const auto &[When, Hit] : Told)
    S.addTold(When);
  for (uint64_t PC : Breakpoints)
    S.addBreakpoint(PC);
  for (const ReplayWatchpoint &W : Watchpoints)
    S.addWatchpoint(W);
  return S;
}

/// The earliest stop: breakpoints at moments from \p BreakFrom on, accesses
/// from \p AccessFrom on.
Expected<Found> ReplayEngine::findForward(std::unique_lock<std::mutex> &Lock,
                                          Moment BreakFrom, Moment AccessFrom,
                                          std::optional<ThreadIndex> Alone,
                                          Moment End) {
  Passed = {};
  if (Interrupted && Interrupted())
    return Found({Here, ReplayStop::Interrupted});
  Searching = true;
  Lock.unlock();
  StopSearch S = search(Alone);
  auto Stop = S.forward(BreakFrom, AccessFrom, End);
  Lock.lock();
  Passed = S.ignored();
  Searching = false;
  return Stop;
}

/// The latest stop before moment \p From that is not before \p NotBefore.
Expected<Found> ReplayEngine::findBackward(std::unique_lock<std::mutex> &Lock,
                                           Moment From, Moment NotBefore) {
  if (Interrupted && Interrupted())
    return Found({Here, ReplayStop::Interrupted});
  Searching = true;
  Lock.unlock();
  StopSearch S = search();
  auto Stop = S.backward(From, NotBefore);
  Lock.lock();
  Passed = S.ignored();
  keepPassed();
  Searching = false;
  return Stop;
}

/// What a pending landing makes of a run; nothing if there is none.
std::optional<Expected<ReplayStop>>
ReplayEngine::runLanding(std::unique_lock<std::mutex> &Lock) {
  if (!Pending)
    return std::nullopt;
  const Landing L = *Pending;
  if (L.Stoppable) {
    auto Stop = findBackward(Lock, Here.When, L.To.When);
    if (!Stop)
      return Stop.takeError();
    if (Pending && StopAwaited)
      Pending->StopAwaited = StopAwaited();
    if (*Stop)
      return moveTo((*Stop)->first, (*Stop)->second);
  }
  Pending.reset();
  return moveTo(L.To, L.Why);
}

Expected<ReplayStop> ReplayEngine::stepForward(ThreadIndex T) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Pending)
    return stepNowhere(T);
  auto P = Store->positionOf(T, Here.When);
  if (!P)
    return P.takeError();
  uint64_t Count = Store->numInstructions(T);
  auto GetsOff = noteStep(T);
  if (!GetsOff)
    return GetsOff.takeError();
  if (*GetsOff && (*P >= Count || (OnlyGetsOff && OnlyGetsOff(T))))
    return stepNowhere(T);
  if (*P >= Count)
    return moveTo({Here.When, T}, ReplayStop::HistoryEnd);
  auto M = Store->momentOf(T, *P);
  if (!M)
    return M.takeError();
  const ReplayStop Stop =
      moveTo({*M + 1, T}, *P + 1 == Count && !*GetsOff ? ReplayStop::HistoryEnd
                                                       : ReplayStop::Step);
  if (llvm::Error E = noteArrival(T, *P + 1))
    return E;
  return Stop;
}

Expected<ReplayStop> ReplayEngine::stepBackward(ThreadIndex T) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Pending)
    return stepNowhere(T);
  auto P = Store->positionOf(T, Here.When);
  if (!P)
    return P.takeError();
  if (*P == 0)
    return moveTo({Here.When, T}, ReplayStop::HistoryBegin);
  auto M = Store->momentOf(T, *P - 1);
  if (!M)
    return M.takeError();
  return moveTo({*M, T}, ReplayStop::Step);
}

Expected<std::optional<ReplayStop>>
ReplayEngine::watchedByStep(ThreadIndex T, bool Forward) const {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (Watchpoints.empty())
    return std::nullopt;
  auto P = Store->positionOf(T, Here.When);
  if (!P)
    return P.takeError();
  if (Forward ? *P >= Store->numInstructions(T) : *P == 0)
    return std::nullopt;
  auto M = Store->momentOf(T, Forward ? *P : *P - 1);
  if (!M)
    return M.takeError();
  StopSearch S(*Store, /*Conditions=*/nullptr, Interrupted);
  for (const ReplayWatchpoint &W : Watchpoints)
    S.addWatchpoint(W);
  auto Hit = S.backward(*M + 1, *M);
  if (!Hit)
    return Hit.takeError();
  if (!*Hit)
    return std::nullopt;
  ReplayStop Stop = (*Hit)->second;
  Stop.Thread = T;
  return Stop;
}

Expected<ReplayStop>
ReplayEngine::runForward(std::optional<ThreadIndex> Alone) {
  std::unique_lock<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(Lock))
    return std::move(*Stop);
  undoSteps();
  forgetUncounted();
  uint64_t End = Store->numInstructions();
  // What the user has already been told about the instruction in front of us
  // is not told again. A watchpoint hit, or a step, told nothing about it.
  const bool Tells = Last.What != ReplayStop::Watchpoint &&
                     Last.What != ReplayStop::Step &&
                     Last.What != ReplayStop::Interrupted;
  Moment From = Here.When;
  if (Tells && From < End) {
    auto T = Store->threadAt(From);
    if (!T)
      return T.takeError();
    if (*T == Here.Thread)
      Told.try_emplace(From);
  }
  // Behind the last instruction of the one for which all run.
  std::optional<Moment> Ends;
  if (Alone) {
    const uint64_t Count = Store->numInstructions(*Alone);
    auto M = Count ? Store->momentOf(*Alone, Count - 1) : Expected<Moment>(0);
    if (!M)
      return M.takeError();
    Ends = std::max(From, Count ? *M + 1 : 0);
  }
  Moment BreakFrom = From, AccessFrom = From;
  const Moment Stops = Ends ? *Ends + 1 : ~Moment(0);
  auto Next = findForward(Lock, BreakFrom, AccessFrom, Alone, Stops);
  // LLDB takes no notice of a stop of a thread that it did not resume, but
  // shows it with the next one.
  while (Alone && Next && *Next &&
         (*Next)->second.What != ReplayStop::Interrupted &&
         (*Next)->first.Thread != *Alone) {
    keepPassed();
    AccessFrom = (*Next)->first.When;
    BreakFrom = AccessFrom + ((*Next)->second.What == ReplayStop::Breakpoint);
    Next = findForward(Lock, BreakFrom, AccessFrom, Alone, Stops);
  }
  if (!Next)
    return Next.takeError();
  if (Leaving) {
    auto Left = Leaving(From, *Next ? std::optional((*Next)->first.When)
                                    : std::nullopt);
    if (!Left)
      return Left.takeError();
    if (*Left) {
      *Next = std::move(*Left);
      // What was passed by behind it has not happened.
      if (Passed.any()) {
        const Moment To = (*Next)->first.When;
        Lock.unlock();
        StopSearch S = search(Alone, /*ToTheEnd=*/true);
        auto Again = S.forward(BreakFrom, AccessFrom, To);
        Lock.lock();
        if (!Again)
          return Again.takeError();
        Passed = S.ignored();
      }
    }
  }
  keepPassed();
  if (*Next)
    return moveTo((*Next)->first, (*Next)->second);
  if (Ends)
    return moveTo({*Ends, *Alone}, ReplayStop::HistoryEnd);
  // The thread that ran last; if nothing was left to run, the selected one.
  ThreadIndex Who = Here.Thread;
  if (Here.When < End) {
    auto T = Store->threadAt(End - 1);
    if (!T)
      return T.takeError();
    Who = *T;
  }
  return moveTo({End, Who}, ReplayStop::HistoryEnd);
}

Expected<ReplayStop> ReplayEngine::runBackward() {
  std::unique_lock<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(Lock))
    return std::move(*Stop);
  auto Next = findBackward(Lock, Here.When, 0);
  if (!Next)
    return Next.takeError();
  if (*Next)
    return moveTo((*Next)->first, (*Next)->second);
  auto T = Store->numInstructions() ? Store->threadAt(0)
                                    : Expected<ThreadIndex>(Here.Thread);
  if (!T)
    return T.takeError();
  return moveTo({0, *T}, ReplayStop::HistoryBegin);
}
