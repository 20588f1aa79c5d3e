//===- FlowLoops.cpp - Loops by control flow ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All activations of a function together tell its flow graph (those that hold
// code of others, which are nested too deep to be blocks, another one): its
// nodes are units that have instructions of its own. What it calls, and a pause
// of tracing, is passed over: what comes before leads to what comes after.
// After other gaps nobody knows how it got there; they end all loops that are
// open.
//
// A second scan cuts every stay in a loop of that graph (LoopForest.h) out, and
// into rounds: one begins wherever the loop's header comes. Rounds may differ
// as they like; all are kept.
//
// Whether the last round is but the test that fails, LoopTests.h tells.
//
//===----------------------------------------------------------------------===//

#include "core/htr/Pass.h"
#include "core/htr/passes/LoopBlocks.h"
#include "core/htr/passes/LoopForest.h"
#include "core/htr/passes/LoopTests.h"
#include "llvm/ADT/DenseSet.h"

using namespace llvm;

namespace rw::htr {
namespace {

constexpr uint32_t None = FlowLoop::None;

class FlowLoopFinder {
public:
  FlowLoopFinder(Hierarchy &H, const PassContext &Context)
      : H(H), Blocks(H), Below(H.Layers.size() - 1),
        Now(Context.Watch, "flow-loops", 2 * H.top().Units.size()),
        Watch(Context.Watch) {
    const BlockId Size = H.Dict.size();
    What.resize(Size);
    Own.Count.resize(Size);
    Own.First.resize(Size, NoBlock);
    Own.Last.resize(Size, NoBlock);
    Own.Low.resize(Size, ~uint64_t(0));
    Own.High.resize(Size);
    Own.Memory.resize(Size);
    Own.Registers.resize(Size);
    for (BlockId B = 0; B < Size; ++B)
      classify(B);
    NodeOf.assign(Size, None);
    H.beginLayer("flow-loops");
  }

  Error run() {
    const size_t Count = H.Layers[Below].numSequences();
    const unsigned Threads = H.numThreads();
    std::vector<uint64_t> Order(Count);
    for (size_t S = 0; S < Count; ++S)
      Order[S] = S;
    // Where code of other activations is, too, there is another graph.
    auto function = [&](uint64_t S) {
      return S < Threads ? std::pair(uint64_t(0), false)
                         : std::pair(H.Dict.Value[H.Scopes[S - Threads]],
                                     H.Mixed[S - Threads] != 0);
    };
    stable_sort(
        Order.begin() + Threads, Order.end(),
        [&](uint64_t A, uint64_t B) { return function(A) < function(B); });
    for (size_t I = 0; I < Count;) {
      size_t End = I + 1;
      while (I >= Threads && End < Count &&
             function(Order[End]) == function(Order[I]))
        ++End;
      if (Error E = group(ArrayRef(Order).slice(I, End - I)))
        return E;
      I = End;
    }
    std::vector<uint64_t> At(Count);
    for (size_t I = 0; I < Count; ++I)
      At[Order[I]] = I;
    H.Layers.back().Units.reorder(At);
    H.endLayer();
    return Error::success();
  }

private:
  enum Role : uint8_t { Node, Passed, Cut };
  Hierarchy &H;
  LoopBlocks Blocks;
  const size_t Below;
  Pace Now;
  const rw::Watch &Watch;
  uint64_t Done = 0;
  std::vector<Role> What; ///< by id
  OwnCode Own;
  std::vector<uint32_t> NodeOf; ///< by id, of this function

  // The function that is looked at.
  std::vector<BlockId> UnitOf; ///< by node
  FlowGraph Graph;
  /// By node: successors found last. Most nodes have no others.
  std::vector<std::pair<uint32_t, uint32_t>> Recent;
  DenseSet<std::pair<uint32_t, uint32_t>> Others;
  LoopForest Forest;
  std::vector<std::vector<uint32_t>> Tests; ///< by loop: nodes that leave it
  std::vector<BlockId> HeaderOf;            ///< by loop: the instruction

  /// A loop that one is in. On the stack of units lie its rounds, of which the
  /// last ones are equal and only counted, and then what the round that has
  /// begun is made of.
  struct Stay {
    uint32_t Loop;
    bool BeginsInside;
    size_t Rounds;
    size_t Round;
    BlockId Last = NoBlock;
    uint64_t Times = 0; ///< of Last
  };
  std::vector<Stay> Stays;
  std::vector<BlockId> Units;

  void classify(BlockId B) {
    What[B] = Passed;
    switch (H.Dict.Kind[B]) {
    case BlockKind::Instruction:
      What[B] = Node;
      Own.Count[B] = 1;
      Own.First[B] = Own.Last[B] = B;
      Own.Low[B] = Own.High[B] = H.Dict.Value[B];
      Own.Memory[B] = B < H.Facts.size() ? H.Facts[B].Memory : Writes::Unknown;
      if (B < H.Facts.size())
        Own.Registers[B] = H.Facts[B].Registers;
      break;
    case BlockKind::Break:
      if (EventKind(H.Dict.Value[B]) != EventKind::Pause)
        What[B] = Cut;
      break;
    case BlockKind::Function:
      break;
    default:
      Own.Registers[B].emplace();
      for (BlockId P : H.body(B)) {
        if (What[P] == Node)
          follow(Own.Registers[B], Own.Registers[P]);
        Own.Count[B] += Own.Count[P];
        Own.Low[B] = std::min(Own.Low[B], Own.Low[P]);
        Own.High[B] = std::max(Own.High[B], Own.High[P]);
        if (Own.First[B] == NoBlock)
          Own.First[B] = Own.First[P];
        if (Own.Last[P] != NoBlock)
          Own.Last[B] = Own.Last[P];
        Own.Memory[B] = std::max(Own.Memory[B], Own.Memory[P]);
        if (What[P] == Node)
          What[B] = Node;
      }
    }
  }

  static void follow(std::optional<InsnFacts::RegisterUse> &All,
                     const std::optional<InsnFacts::RegisterUse> &Next) {
    if (!Next)
      All.reset();
    if (!All)
      return;
    All->Reads |= Next->Reads & ~All->Writes;
    All->Writes |= Next->Writes;
  }

  /// Whether an activation whose last unit is \p U returned there. Calls that
  /// do not return, and the end of the trace, cut one off.
  bool returns(BlockId U) const {
    if (U == NoBlock || What[U] != Node)
      return false;
    const BlockId Insn = Own.Last[U];
    return Insn < H.Facts.size() && H.Facts[Insn].Jumps;
  }

  uint32_t nodeOf(BlockId U) {
    uint32_t &N = NodeOf[U];
    if (LLVM_UNLIKELY(N == None)) {
      N = UnitOf.size();
      UnitOf.push_back(U);
      Graph.Root.push_back(0);
      Graph.End.push_back(0);
      Recent.push_back({None, None});
    }
    return N;
  }

  void addEdge(uint32_t From, uint32_t To) {
    auto &[A, B] = Recent[From];
    if (LLVM_LIKELY(A == To) || B == To)
      return;
    if (A == None)
      A = To;
    else if (B == None)
      B = To;
    else if (!Others.insert({From, To}).second)
      return;
    Graph.Edges.push_back({From, To});
  }

  Error group(ArrayRef<uint64_t> Sequences) {
    Layer &Out = H.Layers.back();
    for (uint64_t S : Sequences) {
      if (Error E = readGraph(H.Layers[Below].sequence(S)))
        return E;
    }
    auto Found = findLoops(Graph, Watch);
    if (!Found)
      return Found.takeError();
    Forest = std::move(*Found);
    Tests = findLoopTests(H, Graph, Forest, UnitOf, Own);
    HeaderOf.clear();
    for (const FlowLoop &L : Forest.Loops)
      HeaderOf.push_back(Own.First[UnitOf[L.Header]]);
    for (uint64_t S : Sequences) {
      const UnitSeq In = H.Layers[Below].sequence(S);
      if (Forest.Loops.empty())
        Out.Units.append(In);
      else if (Error E = cut(In))
        return E;
      Out.Units.endSequence();
    }
    for (BlockId U : UnitOf)
      NodeOf[U] = None;
    UnitOf.clear();
    Graph = {};
    Recent.clear();
    Others.clear();
    return Error::success();
  }

  Error readGraph(const UnitSeq &In) {
    uint32_t Before = None;
    bool First = true;
    BlockId Last = NoBlock;
    for (auto I = In.begin(); I.left(); ++I) {
      const BlockId U = Last = *I;
      if (LLVM_UNLIKELY((++Done & 0xffff) == 0))
        if (Error E = Now.at(Done))
          return E;
      if (LLVM_UNLIKELY(What[U] != Node)) {
        if (What[U] == Cut)
          Before = None;
        continue;
      }
      const uint32_t N = nodeOf(U);
      if (LLVM_LIKELY(Before != None))
        addEdge(Before, N);
      else if (First)
        Graph.Root[N] = 1;
      First = false;
      Before = N;
    }
    if (returns(Last))
      Graph.End[Before] = 1;
    return Error::success();
  }

  Error cut(const UnitSeq &In) {
    UnitList &Out = H.Layers.back().Units;
    uint32_t Before = None, Inside = None;
    BlockId Last = NoBlock;
    for (auto I = In.begin(); I.left(); ++I) {
      const BlockId U = Last = *I;
      if (LLVM_UNLIKELY((++Done & 0xffff) == 0))
        if (Error E = Now.at(Done))
          return E;
      if (LLVM_UNLIKELY(What[U] != Node)) {
        if (What[U] == Cut) {
          while (!Stays.empty())
            leave(None);
          Inside = Before = None;
        }
      } else {
        const uint32_t N = NodeOf[U];
        const uint32_t L = Forest.Innermost[N];
        if (L != Inside || (L != None && Forest.Loops[L].Header == N)) {
          step(N, L, Before);
          Inside = L;
        }
        Before = N;
      }
      if (Stays.empty())
        Out.push_back(U);
      else
        Units.push_back(U);
    }
    while (!Stays.empty())
      leave(returns(Last) ? Before : None);
    return Error::success();
  }

  /// The next node is of another loop, or begins a round.
  void step(uint32_t N, uint32_t L, uint32_t Before) {
    while (!Stays.empty() &&
           (L == None || !Forest.contains(Stays.back().Loop, L)))
      leave(Before);
    uint32_t Inside = Stays.empty() ? None : Stays.back().Loop;
    if (Inside != None && Forest.Loops[Inside].Header == N)
      endRound();
    SmallVector<uint32_t, 8> Enter;
    for (uint32_t E = L; E != Inside; E = Forest.Loops[E].Parent)
      Enter.push_back(E);
    while (!Enter.empty()) {
      const uint32_t E = Enter.pop_back_val();
      Stays.push_back(
          {E, Forest.Loops[E].Header != N, Units.size(), Units.size()});
    }
  }

  void flush(Stay &S) {
    if (S.Times)
      Units.push_back(S.Times == 1 ? S.Last : Blocks.repeat(S.Last, S.Times));
    S.Times = 0;
  }

  void endRound() {
    Stay &S = Stays.back();
    const ArrayRef<BlockId> Body = ArrayRef(Units).drop_front(S.Round);
    assert(!Body.empty());
    const bool Again =
        S.Times &&
        (isWhole(Body) ? Body[0] == S.Last
                       : S.Last >= H.top().FirstBlock &&
                             H.Dict.Kind[S.Last] == BlockKind::Sequence &&
                             H.body(S.Last) == Body);
    if (Again) {
      ++S.Times;
      Units.resize(S.Round);
      return;
    }
    // A copy: new blocks and parts go to the end of Units.
    const BlockId B =
        isWhole(Body) ? Body[0] : Blocks.sequence(BlockKind::Sequence, Body);
    Units.resize(S.Round);
    flush(S);
    S.Round = Units.size();
    S.Last = B;
    S.Times = 1;
  }

  /// A Repeat among a loop's parts stands for rounds.
  bool isWhole(ArrayRef<BlockId> Body) const {
    return Body.size() == 1 && H.Dict.Kind[Body[0]] != BlockKind::Repeat;
  }

  /// Ends the innermost stay, after \p Before; None: cut off.
  void leave(uint32_t Before) {
    endRound();
    Stay S = Stays.back();
    flush(S);
    LoopFacts F;
    F.Header = HeaderOf[S.Loop];
    F.Irreducible = Forest.Loops[S.Loop].Irreducible;
    F.BeginsInside = S.BeginsInside;
    F.EndsInTest =
        Before != None &&
        std::binary_search(Tests[S.Loop].begin(), Tests[S.Loop].end(), Before);
    const ArrayRef<BlockId> Parts = ArrayRef(Units).drop_front(S.Rounds);
    const BlockId B = Blocks.sequence(BlockKind::Iterations, Parts, F.pack());
    Units.resize(S.Rounds);
    Stays.pop_back();
    if (Stays.empty())
      H.Layers.back().Units.push_back(B);
    else
      Units.push_back(B);
  }
};

} // namespace

Error runFlowLoops(Hierarchy &H, const PassContext &Context) {
  return FlowLoopFinder(H, Context).run();
}

} // namespace rw::htr
