//===- ReverseStepper.cpp - Where a step backwards ends -------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/ReverseStepper.h"
#include "core/store/TraceStore.h"

using namespace rw;
using llvm::Expected;

ReverseStepper::ReverseStepper(const TraceStore &Store, const CallIndex &Calls,
                               LineSource &Lines, ThreadIndex T)
    : Store(Store), Calls(Calls), Lines(Lines), Thread(T),
      Cursor(Store.cursor(false)) {}

/// The pc at a position, read in blocks: walks go backwards.
Expected<uint64_t> ReverseStepper::pc(Position P) {
  if (P >= First && P - First < PCs.size())
    return PCs[P - First];
  static constexpr uint64_t Block = 512;
  First = P / Block * Block;
  PCs.clear();
  auto M = Store.momentOf(Thread, First);
  if (!M)
    return M.takeError();
  Cursor->seek(*M);
  uint64_t Want = std::min(Block, Store.numInstructions(Thread) - First);
  while (PCs.size() < Want) {
    const Instruction *I = Cursor->next();
    if (!I)
      break;
    if (I->Thread == Thread)
      PCs.push_back(I->Insn.PC);
  }
  if (llvm::Error E = Cursor->takeError())
    return E;
  if (P - First >= PCs.size())
    return llvm::createStringError("the index ends before position #" +
                                   llvm::Twine(P));
  return PCs[P - First];
}

Expected<const CodeLine *> ReverseStepper::line(Position P) {
  auto PC = pc(P);
  if (!PC)
    return PC.takeError();
  auto [It, New] = Known.try_emplace(*PC);
  if (New)
    It->second = Lines.at(*PC);
  return &It->second;
}

/// A place in an activation that goes back by one instruction at a time.
struct ReverseStepper::Walk {
  const CallIndex &Calls;
  Activation Frame;
  Position At;
  std::optional<Activation> Child; ///< last call from Frame begun before At
  bool Begin = false;              ///< there is nothing before

  static Expected<Walk> from(const CallIndex &Calls, ThreadIndex T,
                             Position P) {
    // Behind the last instruction one is still in its activation.
    auto A = Calls.enclosing(T, P);
    if (A && !*A && P > 0)
      A = Calls.enclosing(T, P - 1);
    if (!A)
      return A.takeError();
    if (!*A)
      return llvm::createStringError("the index knows no call at #" +
                                     llvm::Twine(P));
    Walk W{Calls, **A, P, std::nullopt};
    if (llvm::Error E = W.findChild())
      return E;
    return W;
  }

  llvm::Error findChild() {
    auto C = Calls.lastChildBefore(Frame, At);
    if (!C)
      return C.takeError();
    Child = *C;
    return llvm::Error::success();
  }

  /// The activation whose last instruction comes right before At, if it is one
  /// called from Frame.
  const Activation *returnedHere() const {
    return Child && Child->End == At && Child->Start < At ? &*Child : nullptr;
  }

  /// Over the call that returned here, or by one instruction, if need be out
  /// into the caller.
  llvm::Error back() {
    Position To = returnedHere() ? Child->Start : At;
    if (To == 0) {
      Begin = true;
      return llvm::Error::success();
    }
    bool Skipped = To != At;
    At = To - 1;
    if (At >= Frame.Start) {
      if (Skipped)
        return findChild();
      return llvm::Error::success();
    }
    auto W = from(Calls, Frame.Thread, At);
    if (!W)
      return W.takeError();
    Frame = W->Frame;
    Child = W->Child;
    return llvm::Error::success();
  }

  /// Into an activation, behind the call that was the last one it made.
  llvm::Error enter(const Activation &Of, Position Behind) {
    Frame = Of;
    At = Behind;
    return findChild();
  }

  /// Into the innermost activation of the call that returned here, behind its
  /// last instruction.
  llvm::Error enter() {
    auto W = from(Calls, Frame.Thread, At - 1);
    if (!W)
      return W.takeError();
    Frame = W->Frame;
    return findChild();
  }
};

ReverseStepper::Answer ReverseStepper::nextInstruction(Position P) {
  auto W = Walk::from(Calls, Thread, P);
  if (!W)
    return W.takeError();
  if (llvm::Error E = W->back())
    return E;
  if (W->Begin)
    return std::nullopt;
  return W->At;
}

ReverseStepper::Answer ReverseStepper::finish(Position P, unsigned Up) {
  auto W = Walk::from(Calls, Thread, P);
  if (!W)
    return W.takeError();
  Activation A = W->Frame;
  for (; Up; --Up) {
    auto Parent = Calls.parent(A);
    if (!Parent)
      return Parent.takeError();
    if (!*Parent)
      return std::nullopt;
    A = **Parent;
  }
  // An activation that was there before the trace began has no call in it.
  if (A.Start == 0 || A.Kind == ActivationKind::Root ||
      (A.Flags & Activation::BeforeTrace))
    return std::nullopt;
  return A.Start - 1;
}

/// Whether a forward step would stop at W.At, coming from before it in the same
/// activation.
Expected<bool> ReverseStepper::beginsLine(const Walk &W, View Seen) {
  auto Here = line(W.At);
  if (!Here)
    return Here.takeError();
  const CodeLine &H = **Here;
  // Where a call was left ends a step, amid a line or not.
  if (const Activation *Call = W.returnedHere())
    if (H.known() && !Call->returned())
      return true;
  if (!H.known() || !H.StartsRow || H.Prologue)
    return false;
  auto Shown = [&](const CodeLine &L) {
    const auto Levels = Seen(L);
    return !Levels.empty() && Levels.back().Line != 0;
  };
  if (!Shown(H))
    return false;
  Walk Before = W;
  for (;;) {
    if (llvm::Error E = Before.back())
      return E;
    if (Before.Begin || Before.Frame.Number != W.Frame.Number)
      return true;
    auto Prev = line(Before.At);
    if (!Prev)
      return Prev.takeError();
    const CodeLine &L = **Prev;
    if (!L.known() || L.Prologue)
      return true;
    // Line 0 is code of no line: it goes with the line before it.
    if (Shown(L))
      return Seen(L) != Seen(H);
  }
}

/// Into the call that ended here, unless a step forward would have gone over
/// it: into the innermost of the activations that ended with it, or the
/// innermost that has lines, if longjmp or an exception ended them in code
/// without.
llvm::Error ReverseStepper::enterCall(Walk &W) {
  const Activation *Call = W.returnedHere();
  auto Entry = line(Call->Start);
  if (!Entry)
    return Entry.takeError();
  auto Last = line(W.At - 1);
  if (!Last)
    return Last.takeError();
  // A stub without lines is passed through to the function behind it.
  const CodeLine &Function = (*Entry)->known() ? **Entry : **Last;
  if (Function.known() && Function.Levels.front().Avoided)
    return llvm::Error::success();
  if ((*Last)->known())
    return W.enter();
  // Code without lines may have ended a function by which it was jumped to.
  if (Call->returned())
    return (*Entry)->known() ? W.enter(Activation(*Call), W.At)
                             : llvm::Error::success();
  auto Stack = Calls.stack(Thread, W.At - 1);
  if (!Stack)
    return Stack.takeError();
  for (size_t I = 1; I < Stack->size(); ++I) {
    if ((*Stack)[I - 1].Number == Call->Number)
      break;
    const Position Behind = (*Stack)[I - 1].Start;
    auto L = line(Behind - 1);
    if (!L)
      return L.takeError();
    if ((*L)->known())
      return W.enter((*Stack)[I], Behind);
  }
  return llvm::Error::success();
}

ReverseStepper::Answer ReverseStepper::stepLine(Position P, bool Into,
                                                size_t &Depth) {
  auto W = Walk::from(Calls, Thread, P);
  if (!W)
    return W.takeError();
  // reverse-next sees lines as the frame does that it starts in: code inlined
  // into it is on the line of the inlined call.
  auto Narrow = [&](Position At) -> llvm::Error {
    auto L = line(At);
    if (!L)
      return L.takeError();
    if ((*L)->known())
      Depth = std::min(Depth, (*L)->Levels.size());
    return llvm::Error::success();
  };
  uint64_t Count = Store.numInstructions(Thread);
  if (P == 0 || Count == 0)
    return std::nullopt;
  auto Here = line(std::min(P, Count - 1));
  if (!Here)
    return Here.takeError();
  // Without lines, a step is one of an instruction, as in LLDB.
  if (!(*Here)->known()) {
    Depth = AllLevels;
    return Into ? Answer(P - 1) : nextInstruction(P);
  }
  if (!Into && P < Count)
    if (llvm::Error E = Narrow(P))
      return E;
  const auto Start = llvm::ArrayRef((*Here)->Levels).take_front(Depth);
  auto Seen = [&](const CodeLine &L) {
    const llvm::ArrayRef All(L.Levels);
    if (!Into)
      return All.take_front(Depth);
    // A step that did not start in an inlined call which is avoided sees of it
    // only where it begins, as a place of the code around it.
    size_t N = std::min<size_t>(1, All.size());
    while (N < All.size() &&
           (!All[N].Avoided ||
            (N < Start.size() && Start[N].Block == All[N].Block)))
      ++N;
    return All.take_front(All.size() - N <= L.Entered ? N : 0);
  };
  for (;;) {
    if (Into && W->returnedHere())
      if (llvm::Error E = enterCall(*W))
        return E;
    uint64_t Frame = W->Frame.Number;
    if (llvm::Error E = W->back())
      return E;
    if (W->Begin)
      return std::nullopt;
    if (W->Frame.Number != Frame) {
      // Out at the front, into a caller that may have no lines.
      Depth = AllLevels;
      auto Caller = line(W->At);
      if (!Caller)
        return Caller.takeError();
      if (!(*Caller)->known())
        return W->At;
    }
    if (!Into)
      if (llvm::Error E = Narrow(W->At))
        return E;
    auto Begins = beginsLine(*W, Seen);
    if (!Begins)
      return Begins.takeError();
    if (*Begins) {
      auto There = line(W->At);
      if (!There)
        return There.takeError();
      const size_t N = Seen(**There).size();
      Depth = N ? N : AllLevels;
      return W->At;
    }
  }
}
