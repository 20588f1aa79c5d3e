//===- ReplayEngine.cpp - A position in a trace that runs
//-------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/ReplayEngine.h"

using namespace rw;
using llvm::Expected;

using Found = std::optional<std::pair<Instant, ReplayStop>>;

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
  return Last;
}

void ReplayEngine::selectThread(ThreadIndex T) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Here.Thread = T;
}

Expected<std::optional<uint64_t>> ReplayEngine::pc(ThreadIndex T) const {
  uint64_t Count = Store->numInstructions(T);
  if (Count == 0)
    return std::nullopt;
  auto P = Store->positionOf(T, here().When);
  if (!P)
    return P.takeError();
  auto M = Store->momentOf(T, std::min(*P, Count - 1));
  if (!M)
    return M.takeError();
  auto I = Store->instruction(*M);
  if (!I)
    return I.takeError();
  return I->Insn.PC;
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

/// The first access to a watched range at or after \p From.
Expected<std::optional<Moment>> ReplayEngine::accessFrom(const Watchpoint &W,
                                                         Moment From) const {
  if (From > 0)
    return Store->nextAccess(W.Addr, W.Size, W.Kind, From - 1);
  // nextAccess cannot be asked about moment 0 itself.
  auto First = Store->lastAccess(W.Addr, W.Size, W.Kind, 1);
  if (!First)
    return First.takeError();
  if (*First && **First == 0)
    return First;
  return Store->nextAccess(W.Addr, W.Size, W.Kind, 0);
}

void ReplayEngine::addBreakpoint(uint64_t PC) {
  std::lock_guard<std::mutex> Lock(Mutex);
  ++Breakpoints[PC];
}

void ReplayEngine::removeBreakpoint(uint64_t PC) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = Breakpoints.find(PC);
  if (It != Breakpoints.end() && --It->second == 0)
    Breakpoints.erase(It);
}

void ReplayEngine::addWatchpoint(uint64_t Addr, uint64_t Size,
                                 AccessKind Kind) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Watchpoints.push_back({Addr, Size, Kind});
}

void ReplayEngine::removeWatchpoint(uint64_t Addr, uint64_t Size,
                                    AccessKind Kind) {
  std::lock_guard<std::mutex> Lock(Mutex);
  auto It = llvm::find_if(Watchpoints, [&](const Watchpoint &W) {
    return W.Addr == Addr && W.Size == Size && W.Kind == Kind;
  });
  if (It != Watchpoints.end())
    Watchpoints.erase(It);
}

ReplayStop ReplayEngine::moveTo(Instant To, ReplayStop Why) {
  Why.Again = Why.What == ReplayStop::HistoryEnd && Here.When == To.When;
  Here = To;
  Why.Thread = To.Thread;
  Last = std::move(Why);
  Cache.clear();
  return Last;
}

void ReplayEngine::land(Instant To, ReplayStop Why) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending = {To, std::move(Why), false};
}

void ReplayEngine::runBackTo(Instant To, ReplayStop Why) {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending = {To, std::move(Why), true};
}

void ReplayEngine::cancelLanding() {
  std::lock_guard<std::mutex> Lock(Mutex);
  Pending.reset();
}

/// The earliest stop: breakpoints at moments from \p BreakFrom on, accesses
/// from \p AccessFrom on.
Expected<Found> ReplayEngine::findForward(Moment BreakFrom,
                                          Moment AccessFrom) const {
  Found Best;
  for (const auto &[PC, Count] : Breakpoints) {
    auto M = Store->visitAtOrAfter(PC, BreakFrom);
    if (!M)
      return M.takeError();
    if (*M && (!Best || **M < Best->first.When))
      Best = {Instant{**M, 0}, ReplayStop::breakpoint(PC)};
  }
  for (const Watchpoint &W : Watchpoints) {
    auto M = accessFrom(W, AccessFrom);
    if (!M)
      return M.takeError();
    // One past the access; of two stops at one place the access came first.
    if (*M && (!Best || **M < Best->first.When))
      Best = {Instant{**M + 1, 0}, ReplayStop::watchpoint(W.Addr, W.Kind)};
  }
  if (!Best)
    return Found();
  bool Watch = Best->second.What == ReplayStop::Watchpoint;
  auto T = Store->threadAt(Best->first.When - Watch);
  if (!T)
    return T.takeError();
  Best->first.Thread = *T;
  return Best;
}

/// The latest stop before moment \p From that is not before \p NotBefore.
Expected<Found> ReplayEngine::findBackward(Moment From,
                                           Moment NotBefore) const {
  Found Best;
  auto Consider = [&](Moment M, ReplayStop Why) {
    if (M != BeforeTrace && M >= NotBefore && (!Best || M > Best->first.When))
      Best = {Instant{M, 0}, std::move(Why)};
  };
  for (const auto &[PC, Count] : Breakpoints) {
    auto M = Store->lastVisit(PC, From);
    if (!M)
      return M.takeError();
    if (*M)
      Consider(**M, ReplayStop::breakpoint(PC));
  }
  for (const Watchpoint &W : Watchpoints) {
    auto M = Store->lastAccess(W.Addr, W.Size, W.Kind, From);
    if (!M)
      return M.takeError();
    if (*M)
      Consider(**M, ReplayStop::watchpoint(W.Addr, W.Kind));
  }
  if (!Best)
    return Found();
  auto T = Store->threadAt(Best->first.When);
  if (!T)
    return T.takeError();
  Best->first.Thread = *T;
  return Best;
}

/// What a pending landing makes of a resume; nothing if there is none.
std::optional<Expected<ReplayStop>> ReplayEngine::runLanding(bool SingleStep,
                                                             ThreadIndex T) {
  if (!Pending)
    return std::nullopt;
  auto Arrive = [&] {
    Landing L = *std::exchange(Pending, std::nullopt);
    return moveTo(L.To, std::move(L.Why));
  };
  if (!Pending->Stoppable)
    return Arrive();
  Moment Limit = Pending->To.When;
  bool Arrives = true;
  if (SingleStep) {
    auto P = Store->positionOf(T, Here.When);
    if (!P)
      return P.takeError();
    if (*P > 0) {
      auto M = Store->momentOf(T, *P - 1);
      if (!M)
        return M.takeError();
      Arrives = *M <= Limit;
      Limit = std::max(*M, Limit);
    }
  }
  auto Stop = findBackward(Here.When, Limit);
  if (!Stop)
    return Stop.takeError();
  if (*Stop)
    return moveTo((*Stop)->first, (*Stop)->second);
  if (Arrives)
    return Arrive();
  return moveTo({Limit, T}, ReplayStop::Step);
}

Expected<ReplayStop> ReplayEngine::stepForward(ThreadIndex T) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(true, T))
    return std::move(*Stop);
  auto P = Store->positionOf(T, Here.When);
  if (!P)
    return P.takeError();
  uint64_t Count = Store->numInstructions(T);
  if (*P >= Count)
    return moveTo({Here.When, T}, ReplayStop::HistoryEnd);
  auto M = Store->momentOf(T, *P);
  if (!M)
    return M.takeError();
  return moveTo({*M + 1, T},
                *P + 1 == Count ? ReplayStop::HistoryEnd : ReplayStop::Step);
}

Expected<ReplayStop> ReplayEngine::stepBackward(ThreadIndex T) {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(true, T))
    return std::move(*Stop);
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

Expected<ReplayStop> ReplayEngine::runForward() {
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(false, Here.Thread))
    return std::move(*Stop);
  uint64_t End = Store->numInstructions();
  // What the user has already been told about the instruction in front of us
  // is not told again. A watchpoint hit, or a step, told nothing about it.
  bool Told =
      Last.What != ReplayStop::Watchpoint && Last.What != ReplayStop::Step;
  Moment From = Here.When;
  bool Skip = false;
  if (Told && From < End) {
    auto T = Store->threadAt(From);
    if (!T)
      return T.takeError();
    Skip = *T == Here.Thread;
  }
  auto Next = findForward(From + Skip, From);
  if (!Next)
    return Next.takeError();
  if (*Next)
    return moveTo((*Next)->first, (*Next)->second);
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
  std::lock_guard<std::mutex> Lock(Mutex);
  if (auto Stop = runLanding(false, Here.Thread))
    return std::move(*Stop);
  auto Next = findBackward(Here.When, 0);
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
