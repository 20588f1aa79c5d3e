//===- Functions.cpp - Activations of functions as blocks -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every activation becomes one unit of its caller. Activations with the same
// content share one block, and one sequence in this layer. An activation that
// begins or ends inside a unit of the layer below cannot be cut out and is left
// as it is. So are activations of a function that is already open: recursion
// belongs to the outermost activation (PassOptions::Recursion).
//
//===----------------------------------------------------------------------===//

#include "core/htr/BlockTable.h"
#include "core/htr/Pass.h"
#include "core/support/Golden.h"
#include "core/support/NumberMap.h"

using namespace llvm;

namespace rw::htr {
namespace {

/// Units of activations that are not over yet: a stack that is as compact as a
/// UnitList.
class UnitStack {
public:
  /// What is pushed from now on begins here.
  size_t mark() {
    Barrier = Tokens.size();
    return Barrier;
  }
  void push(BlockId B) {
    if (Tokens.size() > Barrier) {
      Token &T = Tokens.back();
      BlockId &F = Follower[T.Last];
      if (LLVM_LIKELY(F == B) || (F == NoBlock && B < Follower.size())) {
        F = B;
        ++T.Run;
        T.Last = B;
        return;
      }
    }
    if (B >= Follower.size())
      Follower.resize(B + 1 + B / 4, NoBlock);
    Tokens.push_back({1, B, B});
  }
  bool empty(size_t Mark) const { return Tokens.size() == Mark; }
  /// Calls \p F with the units from a mark on, until it returns false.
  template <typename Fn> void forEach(size_t Mark, Fn F) const {
    for (size_t I = Mark; I < Tokens.size(); ++I) {
      BlockId B = Tokens[I].First;
      for (uint64_t Left = Tokens[I].Run;; B = Follower[B]) {
        if (!F(B))
          return;
        if (--Left == 0)
          break;
      }
    }
  }
  /// Takes everything from a mark on away; pushing goes on at \p Outer.
  void pop(size_t Mark, size_t Outer) {
    Tokens.resize(Mark);
    Barrier = Outer;
  }

private:
  struct Token {
    uint64_t Run;
    BlockId First, Last;
  };
  std::vector<Token> Tokens;
  Followers Follower;
  size_t Barrier = 0;
};

/// Cuts one thread's sequence. Units wait in Pending until the innermost open
/// activation ends; then they are its body, and one unit takes their place.
class Cutter {
public:
  Cutter(Hierarchy &H, const PassContext &Context)
      : H(H), Recursion(std::max(1u, Context.Options.Recursion)) {}

  void begin(const UnitSeq &Sequence) {
    In = UnitSeq::iterator(Sequence);
    Pos = 0;
  }
  void call(const Call &C) {
    if (C.Start >= C.End)
      return;
    advance(C.Start, /*Breaks=*/true);
    while (Folded.size() > firstFolded() && Folded.back().End <= C.Start)
      Folded.pop_back();
    unsigned &Depth = DepthOf[C.EntryPC];
    // It begins inside a unit, or is nested too deep.
    if (Pos != C.Start || Depth >= Recursion) {
      Folded.push_back({C.End, belongs(C.EntryPC, false)});
      return;
    }
    ++Depth;
    Open.push_back({C.End, C.EntryPC, Pending.mark(), Folded.size()});
  }
  void finish() {
    advance(~Position(0), true);
    assert(Open.empty());
    UnitList &Out = H.Layers.back().Units;
    Pending.forEach(0, [&](BlockId B) {
      Out.push_back(B);
      return true;
    });
    Pending.pop(0, 0);
    ThreadAt.push_back(Out.numSequences());
    Out.endSequence();
  }
  /// Puts threads before scopes.
  void order() {
    std::vector<uint64_t> Order = ThreadAt;
    Order.insert(Order.end(), ScopeAt.begin(), ScopeAt.end());
    H.Layers.back().Units.reorder(Order);
  }

private:
  struct Activation {
    Position End;
    uint64_t EntryPC;
    size_t Mark;
    size_t FirstFolded; ///< those after it are in this activation
    FunctionFacts Facts = {};
  };
  /// An activation that is no block.
  struct FoldedCall {
    Position End;
    bool OfItself; ///< see belongs()
  };
  Hierarchy &H;
  unsigned Recursion;
  UnitSeq::iterator In;
  Position Pos = 0; ///< of *In
  UnitStack Pending;
  std::vector<Activation> Open;
  std::vector<FoldedCall> Folded; ///< what one is in
  NumberMap<unsigned> DepthOf;
  BlockTable Table;
  std::vector<uint64_t> ThreadAt, ScopeAt; ///< their sequences, for now

  /// Takes units up to position \p To, closing what ends on the way. A break
  /// at \p To itself comes before an activation that begins there, and after
  /// those that end there.
  void advance(Position To, bool Breaks) {
    while (!Open.empty() && Open.back().End <= To) {
      take(Open.back().End, false);
      close();
    }
    take(To, Breaks);
    if (To == ~Position(0))
      while (!Open.empty())
        close();
  }

  void take(Position To, bool Breaks) {
    const uint64_t *Length = H.Dict.Length.data();
    UnitSeq::iterator I = In;
    Position P = Pos;
    for (; I.left() && P < To; ++I) {
      P += Length[*I];
      Pending.push(*I);
    }
    if (Breaks)
      for (; I.left() && Length[*I] == 0; ++I)
        Pending.push(*I);
    In = I;
    Pos = P;
  }

  bool isScope(uint64_t Scope, size_t Mark, uint64_t Units) const {
    UnitSeq Known = H.Layers.back().sequence(ScopeAt[Scope]);
    if (Known.size() != Units)
      return false;
    bool Same = true;
    auto I = Known.begin();
    Pending.forEach(Mark, [&](BlockId B) {
      Same = *I == B;
      ++I;
      return Same;
    });
    return Same;
  }

  size_t firstFolded() const {
    return Open.empty() ? 0 : Open.back().FirstFolded;
  }

  /// An activation belongs to the innermost one that is open. True if all from
  /// there to it are of one function.
  bool belongs(uint64_t EntryPC, bool IsBlock, FunctionFacts Facts = {}) {
    if (Open.empty())
      return false;
    FunctionFacts &Of = Open.back().Facts;
    const bool OfItself =
        Open.back().EntryPC == EntryPC &&
        (Folded.size() == firstFolded() || Folded.back().OfItself);
    if (OfItself)
      Of.Itself += 1 + Facts.Itself;
    if (!IsBlock) {
      Of.IsMixed = true;
      Of.HasOthers |= !OfItself || Facts.HasOthers;
    }
    return OfItself;
  }

  void close() {
    Activation A = Open.back();
    Open.pop_back();
    --DepthOf[A.EntryPC];
    Folded.resize(A.FirstFolded);
    // It ended inside a unit, or the thread was shorter than its calls.
    if (Pos != A.End || Pending.empty(A.Mark)) {
      belongs(A.EntryPC, false, A.Facts);
      return;
    }
    uint64_t Hash = A.EntryPC, Units = 0;
    Pending.forEach(A.Mark, [&](BlockId U) {
      Hash = golden(Hash ^ U);
      Hash ^= Hash >> 32;
      ++Units;
      return true;
    });
    BlockId B = Table.find(Hash, [&](BlockId Other) {
      return H.Dict.Value[Other] == A.EntryPC &&
             H.Dict.Count[Other] == A.Facts.pack() &&
             isScope(H.Dict.First[Other], A.Mark, Units);
    });
    if (B == NoBlock) {
      UnitList &Out = H.Layers.back().Units;
      Hierarchy::Extent E;
      Pending.forEach(A.Mark, [&](BlockId U) {
        E.add(H.Dict, U);
        Out.push_back(U);
        return true;
      });
      ScopeAt.push_back(Out.numSequences());
      Out.endSequence();
      B = H.addFunction(A.EntryPC, E, A.Facts);
      Table.insert(Hash, B);
    }
    Pending.pop(A.Mark, Open.empty() ? 0 : Open.back().Mark);
    Pending.push(B);
    belongs(A.EntryPC, true, A.Facts);
  }
};

} // namespace

Error runFunctions(Hierarchy &H, const PassContext &Context) {
  if (!Context.Calls)
    return createStringError("the functions pass needs the call index, and "
                             "this trace's store has none");
  if (!H.Scopes.empty())
    return createStringError("functions are blocks already; the functions pass "
                             "can run once only");
  size_t Below = H.Layers.size() - 1;
  H.beginLayer("functions");
  Cutter C(H, Context);
  Pace Now(Context.Watch, "functions", H.numInstructions());
  for (ThreadIndex T = 0; T < H.numThreads(); ++T) {
    C.begin(H.Layers[Below].sequence(T));
    Error Stop = Error::success();
    if (Error E = Context.Calls(T, [&](const Call &Call) {
          C.call(Call);
          Stop = Now.at(H.ThreadBase[T] + Call.Start);
          return !Stop;
        }))
      return joinErrors(std::move(E), std::move(Stop));
    if (Stop)
      return Stop;
    C.finish();
  }
  C.order();
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
