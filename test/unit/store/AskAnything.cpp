//===- AskAnything.cpp - Asks a store that may hold anything --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskAnything.h"
#include "core/store/SearchCursor.h"
#include "core/store/StateCursor.h"

using namespace rw;
using namespace llvm;

template <typename T> static void take(Expected<T> E) {
  if (!E)
    consumeError(E.takeError());
}

void rw::askAnything(const TraceStore &S, uint64_t Seed, unsigned Rounds) {
  Rng R(Seed);
  uint64_t N = S.numInstructions();
  std::vector<uint64_t> Addrs = {0, ~uint64_t(0), R.next()};
  consumeError(S.forEachTouchedRange([&](uint64_t Addr, uint64_t Size) {
    Addrs.push_back(Addr + R.below(Size));
    return Addrs.size() < 200;
  }));
  std::vector<uint64_t> PCs = S.distinctPCs();
  PCs.push_back(R.next());
  for (unsigned I = 0; I < Rounds; ++I) {
    Moment M = R.chance(0.1) ? N : R.below(N);
    uint64_t Addr = R.pick(Addrs), PC = R.pick(PCs);
    ThreadIndex T = R.below(S.numThreads());
    if (uint64_t Count = S.numInstructions(T))
      take(S.momentOf(T, R.below(Count)));
    take(S.positionOf(T, M));
    take(S.registersAt(T, M));
    take(S.lastRegisterWrite(T, R.below(400), 0xff, M));
    take(S.nextRegisterWrite(T, R.below(400), 0xff, M));
    take(S.lastVisit(PC, M, T));
    take(S.nextVisit(PC, M, T));
    if (M < N) {
      take(S.threadAt(M));
      take(S.timeAt(M));
      take(S.lineAt(M));
      take(S.instruction(M));
      take(S.filePlaceNear(M));
    }
    take(S.momentAtTime(R.below(S.lastTime())));
    take(S.momentAtLine(R.below(3 * N)));
    uint8_t Bytes[64], Known[64];
    consumeError(S.memoryAt(M, Addr, Bytes, Known));
    take(S.memoryOrigin(M, Addr));
    AccessKind Kind = AccessKind(R.between(1, 3));
    take(S.lastAccess(Addr, R.below(64), Kind, M));
    take(S.nextAccess(Addr, R.below(64), Kind, M));
    take(S.writtenGranules(M, std::min(N, M + R.below(100))));
    take(S.visitAtOrAfter(PC, M));
    const uint64_t Size = R.below(64);
    for (const auto &Search :
         {SearchCursor::accesses(S, Addr, Size, Kind),
          SearchCursor::registerWrites(S, ThreadIndex(R.below(3)),
                                       unsigned(R.below(40)), 0xff),
          SearchCursor::visits(S, PC, std::nullopt)})
      for (Moment Next : {M, M + 1, M + 300, Moment(0)})
        take(Search->from(Next));
    auto States = StateCursor::open(S);
    for (Moment Next : {M, M + 1, M + 300, Moment(0)}) {
      take(States->nextAccess(Addr, Kind, Next, Bytes, Known));
      consumeError(States->readMemory(Next, Addr, Bytes, Known));
    }
    S.codeAt(PC);
    take(S.firstEventFrom(M));
    if (uint64_t Events = S.numEvents())
      take(S.event(R.below(Events)));
    std::unique_ptr<InstructionCursor> C = S.cursor(R.chance(0.5));
    C->seek(M);
    for (unsigned K = 0; K < 20 && C->next(); ++K)
      ;
    consumeError(C->takeError());
  }
}
