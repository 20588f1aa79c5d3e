//===- CallSweep.cpp - Entries and exits of activations, in order ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallSweep.h"
#include "core/calls/CallSection.h"
#include "core/store/TraceStore.h"
#include <algorithm>

namespace rw {

namespace {

struct TailCall {
  Position Pos = 0; ///< of the function's first instruction
  uint64_t PC = 0;
};

} // namespace

llvm::Expected<std::optional<uint64_t>>
tailCallIn(const CallQuery &Q, ThreadIndex T, SiteReader &Sites,
           uint64_t Target, Position P) {
  if (P == 0)
    return std::nullopt;
  // A call if an activation begins here; back from one, or the function
  // jumping to its own beginning, if the instruction before is elsewhere.
  auto Here = Q.Index.enclosing(T, P);
  if (!Here)
    return Here.takeError();
  if (!*Here || (*Here)->Start == P)
    return std::nullopt;
  auto Before = Q.Index.enclosing(T, P - 1);
  if (!Before)
    return Before.takeError();
  if (!*Before || (*Here)->Number != (*Before)->Number)
    return std::nullopt;
  auto Last = Sites.at(P - 1);
  if (!Last)
    return Last.takeError();
  if (Q.Names.at(Last->PC).Start == Q.Names.at(Target).Start ||
      (Last->PC + Last->Size == Target && !Last->JumpsToNext))
    return std::nullopt;
  return (*Here)->Number;
}

namespace {

/// Those in [From, To), ascending. Cost: visits of the functions that are
/// jumped to.
llvm::Expected<std::vector<TailCall>>
findTailCalls(const CallQuery &Q, ThreadIndex T, Position From, Position To) {
  std::vector<TailCall> Found;
  To = std::min<Position>(To, Q.Store.numInstructions(T));
  if (From >= To)
    return Found;
  auto First = Q.Store.momentOf(T, From);
  if (!First)
    return First.takeError();
  SiteReader Sites(Q.Store, T);
  uint64_t Visits = 0;
  for (uint64_t Target : Q.Index.jumpTargets()) {
    const FunctionNames::Function &Callee = Q.Names.at(Target);
    if (Callee.Name.empty() || Callee.Start != Target)
      continue;
    Moment Search = *First;
    for (;;) {
      if ((Visits++ & 0x3ff) == 0)
        if (llvm::Error E = Q.Watch.check())
          return E;
      auto M = Q.Store.visitAtOrAfter(Target, Search, T);
      if (!M)
        return M.takeError();
      if (!*M)
        break;
      Search = **M + 1;
      auto P = Q.Store.positionOf(T, **M);
      if (!P)
        return P.takeError();
      if (*P >= To)
        break;
      auto Number = tailCallIn(Q, T, Sites, Target, *P);
      if (!Number)
        return Number.takeError();
      if (*Number)
        Found.push_back({*P, Target});
    }
  }
  std::sort(Found.begin(), Found.end(),
            [](const TailCall &A, const TailCall &B) { return A.Pos < B.Pos; });
  return Found;
}

} // namespace

/// Merges activations and tail calls into one nest of nodes.
class CallWalk::Impl {
public:
  Impl(const CallQuery &Q, ThreadIndex T, const SweepOptions &Options,
       CallVisitor &Visitor)
      : Q(Q), T(T), Options(Options), Visitor(Visitor), Sites(Q.Store, T),
        To(std::min<Position>(Options.To, Q.Store.numInstructions(T))),
        TailsTo(Options.TailCalls ? Options.From : To) {}

  llvm::Error advance(Position P) {
    if (!Begun)
      if (llvm::Error E = begin())
        return E;
    for (; NextAhead < Ahead.size() && Ahead[NextAhead].Start <= P;) {
      if (llvm::Error E = add(Ahead[NextAhead]))
        return E;
      if (++NextAhead == Ahead.size())
        if (llvm::Error E = readAhead())
          return E;
    }
    if (llvm::Error E = tailsBefore(P < To ? P + 1 : To))
      return E;
    return leaveUntil(P);
  }

  Position next() const {
    if (!Begun)
      return Options.From;
    Position P = Open.empty() ? ~Position(0) : Open.back().Call.End;
    if (NextAhead < Ahead.size())
      P = std::min(P, Ahead[NextAhead].Start);
    // Whether there are tail calls further on has not been looked at yet.
    if (NextTail < Tails.size())
      P = std::min(P, Tails[NextTail].Pos);
    else if (TailsTo < To)
      P = std::min(P, TailsTo);
    return P;
  }

private:
  /// What encloses the beginning of the range, and the first that begins in it.
  llvm::Error begin() {
    Begun = true;
    if (Options.From > 0) {
      auto Stack = Q.Index.stack(T, Options.From);
      if (!Stack)
        return Stack.takeError();
      for (size_t I = Stack->size(); I-- > 0;) {
        const Activation &A = (*Stack)[I];
        if (A.Start >= Options.From)
          continue;
        if (llvm::Error E = add(A))
          return E;
        if (llvm::Error E =
                enterTailOf(A, I ? (*Stack)[I - 1].Start - 1 : Options.From))
          return E;
      }
    }
    auto First = Q.Index.firstFrom(T, Options.From);
    if (!First)
      return First.takeError();
    NextNumber = *First;
    return readAhead();
  }

  /// If the activation is in a function that it had made a tail call of before
  /// the range: \p At is an instruction of it.
  llvm::Error enterTailOf(const Activation &A, Position At) {
    if (!Options.TailCalls || At >= To || Open.empty())
      return llvm::Error::success();
    auto Site = Sites.at(At);
    if (!Site)
      return Site.takeError();
    const FunctionNames::Function F = Q.Names.at(Site->PC);
    if (F.Name.empty() || F.Start == Q.Names.at(A.EntryPC).Start ||
        !std::binary_search(Q.Index.jumpTargets().begin(),
                            Q.Index.jumpTargets().end(), F.Start))
      return llvm::Error::success();
    // One that comes to the first instruction of the range is found there.
    Moment Before = Site->When + (At < Options.From);
    for (unsigned Tries = 0; Tries < MaxVisitsBack; ++Tries) {
      auto M = Q.Store.lastVisit(F.Start, Before, T);
      if (!M)
        return M.takeError();
      if (!*M)
        break;
      Before = **M;
      auto P = Q.Store.positionOf(T, **M);
      if (!P)
        return P.takeError();
      if (*P <= A.Start)
        break;
      auto Number = tailCallIn(Q, T, Sites, F.Start, *P);
      if (!Number)
        return Number.takeError();
      if (*Number == A.Number)
        return enterTail({*P, F.Start});
    }
    return llvm::Error::success();
  }

  llvm::Error enterTail(const TailCall &Tail) {
    CallNode N;
    N.Call = Open.back().Call;
    N.Call.Start = Tail.Pos;
    N.Call.EntryPC = Tail.PC;
    N.Call.Kind = ActivationKind::Function;
    N.Call.Flags &= ~Activation::BeforeTrace;
    N.TailCall = true;
    return enter(N);
  }

  llvm::Error readAhead() {
    Ahead.clear();
    NextAhead = 0;
    uint64_t End = (NextNumber / callsection::BlockSize + 1) *
                   uint64_t(callsection::BlockSize);
    llvm::Error E =
        Q.Index.forEach(T, NextNumber, End, [&](const Activation &A) {
          if (A.Start >= To)
            return false;
          Ahead.push_back(A);
          return true;
        });
    NextNumber = End;
    return E;
  }

  llvm::Error add(const Activation &A) {
    if (A.End <= Options.From || A.Start >= To)
      return llvm::Error::success();
    if (llvm::Error E = tailsBefore(A.Start))
      return E;
    if (isInternalBranch(A))
      return llvm::Error::success();
    CallNode N;
    N.Call = A;
    return enter(N);
  }

  /// A BL that goes elsewhere in the same function and never came back.
  bool isInternalBranch(const Activation &A) {
    if (A.Kind != ActivationKind::Function || A.returned() ||
        (A.Flags & Activation::BeforeTrace) || Open.empty())
      return false;
    const FunctionNames::Function &F = Q.Names.at(A.EntryPC);
    return !F.Name.empty() && F.Start != A.EntryPC &&
           F.Start == Q.Names.at(Open.back().Call.EntryPC).Start;
  }

  /// The next tail call before \p P.
  llvm::Expected<std::optional<TailCall>> nextTail(Position P) {
    while (NextTail == Tails.size() && TailsTo < std::min(P, To)) {
      Position From = TailsTo;
      TailsTo = std::min(To, From + TailWindow);
      auto Found = findTailCalls(Q, T, From, TailsTo);
      if (!Found)
        return Found.takeError();
      Tails = std::move(*Found);
      NextTail = 0;
    }
    if (NextTail == Tails.size() || Tails[NextTail].Pos >= P)
      return std::nullopt;
    return Tails[NextTail++];
  }

  llvm::Error tailsBefore(Position P) {
    for (;;) {
      auto Next = nextTail(P);
      if (!Next)
        return Next.takeError();
      if (!*Next)
        return llvm::Error::success();
      const TailCall Tail = **Next;
      if (llvm::Error E = leaveUntil(Tail.Pos))
        return E;
      if (Open.empty())
        continue;
      if (llvm::Error E = enterTail(Tail))
        return E;
    }
  }

  llvm::Error enter(CallNode &N) {
    N.Entered = N.Call.Start;
    N.Call.Start = std::max(N.Call.Start, Options.From);
    N.Call.End = std::min(N.Call.End, To);
    if (llvm::Error E = leaveUntil(N.Call.Start))
      return E;
    if (Open.size() > Options.MaxDepth)
      return llvm::Error::success();
    N.Depth = uint32_t(Open.size());
    if (Options.Times) {
      auto Time = Sites.timeAt(N.Call.Start);
      if (!Time)
        return Time.takeError();
      N.StartTime = *Time;
    }
    if ((Count++ & 0xfff) == 0) {
      if (llvm::Error E = Q.Watch.step(
              "walking calls", N.Call.Start - Options.From, To - Options.From))
        return E;
    }
    Open.push_back(N);
    return Visitor.enter(N);
  }

  llvm::Error leaveUntil(Position P) {
    while (!Open.empty() && Open.back().Call.End <= P) {
      CallNode N = Open.back();
      Open.pop_back();
      if (Options.Times) {
        auto Time = Sites.timeAt(N.Call.End);
        if (!Time)
          return Time.takeError();
        N.EndTime = *Time;
      }
      CallNode *Parent = Open.empty() ? nullptr : &Open.back();
      if (Parent) {
        Parent->CalleeInstructions += N.Call.inclusive();
        Parent->CalleeTime += N.time();
      }
      if (llvm::Error E = Visitor.leave(N, Parent))
        return E;
    }
    return llvm::Error::success();
  }

  /// Instructions that are looked through for tail calls at once: bounds
  /// memory.
  static constexpr Position TailWindow = 1 << 22;

  /// Visits that are looked at for where a function was jumped to before the
  /// range. Without it, a function that calls itself a million times would cost
  /// as many.
  static constexpr unsigned MaxVisitsBack = 1000;

  const CallQuery &Q;
  ThreadIndex T;
  const SweepOptions &Options;
  CallVisitor &Visitor;
  SiteReader Sites;
  Position To;
  Position TailsTo; ///< those before it have been looked for
  std::vector<TailCall> Tails;
  size_t NextTail = 0;
  std::vector<CallNode> Open;
  uint64_t Count = 0;
  bool Begun = false;
  std::vector<Activation> Ahead; ///< read from the index, not yet entered
  size_t NextAhead = 0;
  uint64_t NextNumber = 0; ///< what comes after them
};

CallWalk::CallWalk(const CallQuery &Q, ThreadIndex T,
                   const SweepOptions &Options, CallVisitor &Visitor)
    : I(std::make_unique<Impl>(Q, T, Options, Visitor)) {}
CallWalk::~CallWalk() = default;
llvm::Error CallWalk::advance(Position P) { return I->advance(P); }
Position CallWalk::next() const { return I->next(); }

llvm::Error sweepCalls(const CallQuery &Q, ThreadIndex T,
                       const SweepOptions &Options, CallVisitor &Visitor) {
  return CallWalk(Q, T, Options, Visitor).advance(~Position(0));
}

} // namespace rw
