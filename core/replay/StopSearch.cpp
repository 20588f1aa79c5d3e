//===- StopSearch.cpp - The next stop of a replay -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/StopSearch.h"
#include "core/store/TraceStore.h"

using namespace rw;
using llvm::Expected;

void StopSearch::addBreakpoint(uint64_t PC) {
  Source S;
  S.PC = PC;
  if (Conditions)
    S.Conditions = Conditions->atBreakpoint(PC);
  Sources.push_back(S);
}

void StopSearch::addWatchpoint(const ReplayWatchpoint &W) {
  Source S;
  S.Watch = true;
  S.Watched = W;
  if (Conditions)
    S.Parts = Conditions->atWatchpoint(W.Addr, W.Size);
  Sources.push_back(S);
}

/// The first hit at or after \p M.
Expected<std::optional<Moment>> StopSearch::from(const Source &S,
                                                 Moment M) const {
  if (!S.Watch)
    return Store.visitAtOrAfter(S.PC, M);
  const ReplayWatchpoint &W = S.Watched;
  if (M > 0)
    return Store.nextAccess(W.Addr, W.Size, W.Kind, M - 1);
  // nextAccess cannot be asked about moment 0 itself.
  auto First = Store.lastAccess(W.Addr, W.Size, W.Kind, 1);
  if (!First)
    return First.takeError();
  if (*First && **First == 0)
    return First;
  return Store.nextAccess(W.Addr, W.Size, W.Kind, 0);
}

/// The last hit before \p M.
Expected<std::optional<Moment>> StopSearch::before(const Source &S,
                                                   Moment M) const {
  auto Hit = S.Watch ? Store.lastAccess(S.Watched.Addr, S.Watched.Size,
                                        S.Watched.Kind, M)
                     : Store.lastVisit(S.PC, M);
  if (Hit && *Hit == BeforeTrace)
    return std::nullopt;
  return Hit;
}

/// The stop that the hit of \p S is, in front of \p When; nothing if no
/// condition holds there.
Expected<StopSearch::Found> StopSearch::stop(const Source &S, Moment When) {
  auto T = Store.threadAt(*S.Hit);
  if (!T)
    return T.takeError();
  StopReason Reason;
  if (S.Conditions || S.Parts) {
    // It is looked at again when one goes on.
    if (++Tested % 64 == 0 && Interrupted && Interrupted())
      return Found({{When, *T}, ReplayStop::Interrupted});
    if (!Near)
      Near = StateCursor::openRegisters(Store);
    IgnoredHits *Counts = !Alone || *T == *Alone ? &Ignored : nullptr;
    auto Passes = S.Parts
                      ? Conditions->noneStops(*S.Parts, S.Watched.Kind, *S.Hit,
                                              *Near, *T, When, Reason, Counts)
                      : Conditions->noneHolds(*S.Conditions, *Near, *T, When,
                                              Reason, Counts);
    if (!Passes)
      return Passes.takeError();
    if (*Passes)
      return Found();
  }
  ReplayStop Stop = S.Watch
                        ? ReplayStop::watchpoint(S.Watched.Addr, S.Watched.Kind)
                        : ReplayStop::breakpoint(S.PC);
  Stop.Accessed = *S.Hit;
  Stop.Reason = std::move(Reason);
  return Found({{When, *T}, std::move(Stop)});
}

Expected<StopSearch::Found> StopSearch::forward(Moment BreakFrom,
                                                Moment AccessFrom, Moment End) {
  for (Source &S : Sources) {
    auto Hit = from(S, S.Watch ? AccessFrom : BreakFrom);
    if (!Hit)
      return Hit.takeError();
    S.Hit = *Hit;
  }
  // A watchpoint stops behind the access; of two stops at one place the access
  // came first.
  auto Order = [](const Source &S) {
    return std::pair(*S.Hit + S.Watch, !S.Watch);
  };
  for (;;) {
    Source *Next = nullptr;
    for (Source &S : Sources)
      if (S.Hit && (!Next || Order(S) < Order(*Next)))
        Next = &S;
    if (!Next || *Next->Hit + Next->Watch >= End)
      return Found();
    if (Next->Watch || !Told.count(*Next->Hit)) {
      auto Stop = stop(*Next, *Next->Hit + Next->Watch);
      if (!Stop || *Stop)
        return Stop;
    }
    auto Hit = from(*Next, *Next->Hit + 1);
    if (!Hit)
      return Hit.takeError();
    Next->Hit = *Hit;
  }
}

Expected<StopSearch::Found> StopSearch::backward(Moment From,
                                                 Moment NotBefore) {
  auto Find = [&](Source &S, Moment M) -> llvm::Error {
    auto Hit = before(S, M);
    if (!Hit)
      return Hit.takeError();
    S.Hit = *Hit && **Hit >= NotBefore ? *Hit : std::nullopt;
    return llvm::Error::success();
  };
  for (Source &S : Sources)
    if (llvm::Error E = Find(S, From))
      return E;
  for (;;) {
    Source *Next = nullptr;
    for (Source &S : Sources)
      if (S.Hit && (!Next || *S.Hit > *Next->Hit))
        Next = &S;
    if (!Next)
      return Found();
    auto Stop = stop(*Next, *Next->Hit);
    if (!Stop || *Stop)
      return Stop;
    if (llvm::Error E = Find(*Next, *Next->Hit))
      return E;
  }
}
