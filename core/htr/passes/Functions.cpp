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
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace rw::htr {
namespace {

/// Cuts one thread's sequence. Units wait in Pending until the innermost open
/// activation ends; then they are its body, and one unit takes their place.
class Cutter {
public:
  Cutter(Hierarchy &H, const PassContext &Context)
      : H(H), Recursion(std::max(1u, Context.Options.Recursion)) {}

  /// Sequences of the scopes found so far.
  std::vector<BlockId> ScopeUnits;
  std::vector<uint64_t> ScopeBegin{0};

  void begin(ArrayRef<BlockId> Sequence) {
    In = Sequence;
    Index = 0;
    Pos = 0;
  }
  void call(const Call &C) {
    if (C.Start >= C.End)
      return;
    advance(C.Start, /*Breaks=*/true);
    if (Pos != C.Start)
      return; // it begins inside a unit
    unsigned &Depth = DepthOf[C.EntryPC];
    if (Depth >= Recursion)
      return;
    ++Depth;
    Open.push_back({C.End, C.EntryPC, Pending.size()});
  }
  void finish(std::vector<BlockId> &Out) {
    advance(~Position(0), true);
    assert(Open.empty());
    Out.insert(Out.end(), Pending.begin(), Pending.end());
    Pending.clear();
  }

private:
  struct Activation {
    Position End;
    uint64_t EntryPC;
    size_t FirstUnit;
  };
  Hierarchy &H;
  unsigned Recursion;
  ArrayRef<BlockId> In;
  size_t Index = 0;
  Position Pos = 0; ///< of In[Index]
  std::vector<BlockId> Pending;
  std::vector<Activation> Open;
  DenseMap<uint64_t, unsigned> DepthOf;
  BlockTable Table;

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
    size_t First = Index;
    Position P = Pos;
    while (Index < In.size() && P < To)
      P += Length[In[Index++]];
    if (Breaks)
      while (Index < In.size() && Length[In[Index]] == 0)
        ++Index;
    Pos = P;
    Pending.insert(Pending.end(), In.begin() + First, In.begin() + Index);
  }

  void close() {
    Activation A = Open.back();
    Open.pop_back();
    --DepthOf[A.EntryPC];
    // It ended inside a unit, or the thread was shorter than its calls.
    if (Pos != A.End || Pending.size() == A.FirstUnit)
      return;
    ArrayRef<BlockId> Body = ArrayRef(Pending).drop_front(A.FirstUnit);
    uint64_t Hash = hashUnits(Body, A.EntryPC);
    BlockId B = Table.find(Hash, [&](BlockId Other) {
      size_t S = H.Dict.First[Other];
      return H.Dict.Value[Other] == A.EntryPC &&
             ArrayRef(ScopeUnits)
                     .slice(ScopeBegin[S], ScopeBegin[S + 1] - ScopeBegin[S]) ==
                 Body;
    });
    if (B == NoBlock) {
      ScopeUnits.insert(ScopeUnits.end(), Body.begin(), Body.end());
      ScopeBegin.push_back(ScopeUnits.size());
      B = H.addFunction(A.EntryPC, Body);
      Table.insert(Hash, B);
    }
    Pending.resize(A.FirstUnit);
    Pending.push_back(B);
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
    C.finish(H.Layers.back().Units);
    H.Layers.back().endSequence();
  }
  Layer &L = H.Layers.back();
  uint64_t Base = L.Units.size();
  L.Units.insert(L.Units.end(), C.ScopeUnits.begin(), C.ScopeUnits.end());
  for (size_t I = 1; I < C.ScopeBegin.size(); ++I)
    L.Begin.push_back(Base + C.ScopeBegin[I]);
  H.endLayer();
  return Error::success();
}

} // namespace rw::htr
