//===- CallDepths.cpp - How deep the calls are ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/questions/CallDepths.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

struct CallDepths::OneThread final : CallVisitor {
  OneThread(const CallQuery &Q, ThreadIndex T, Position From)
      : Range(from(From)), Walk(Q, T, Range, *this) {}
  Error enter(const CallNode &N) override {
    Depth = N.Depth;
    return Error::success();
  }
  Error leave(const CallNode &, const CallNode *Parent) override {
    Depth = Parent ? Parent->Depth : 0;
    return Error::success();
  }
  static SweepOptions from(Position P) {
    SweepOptions O;
    O.From = P;
    return O;
  }
  const SweepOptions Range;
  CallWalk Walk;
  Position Next = 0;
  uint64_t Depth = 0;
};

CallDepths::CallDepths(Session &S, std::unique_ptr<CallsOfSession> C)
    : Calls(std::move(C)), Query(Calls->query()) {
  Query.Watch = {S.Watch.Cancel, S.Watch.Interrupted, nullptr};
}

CallDepths::~CallDepths() = default;

Expected<std::unique_ptr<CallDepths>> CallDepths::open(Session &S) {
  auto Calls = CallsOfSession::open(S, /*Ttu=*/false);
  if (!Calls)
    return Calls.takeError();
  std::unique_ptr<CallDepths> D(new CallDepths(S, std::move(*Calls)));
  D->Threads.resize(S.Store.numThreads());
  return D;
}

Expected<uint64_t> CallDepths::at(ThreadIndex T, Position P) {
  std::unique_ptr<OneThread> &One = Threads[T];
  if (!One)
    One = std::make_unique<OneThread>(Query, T, P);
  if (P >= One->Next) {
    if (Error E = One->Walk.advance(P))
      return E;
    One->Next = std::max(P + 1, One->Walk.next());
  }
  return One->Depth;
}

Position CallDepths::changes(ThreadIndex T) const { return Threads[T]->Next; }

} // namespace rw
