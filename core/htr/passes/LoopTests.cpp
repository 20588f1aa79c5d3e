//===- LoopTests.cpp - Where loops are tested -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/passes/LoopTests.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace rw::htr {
namespace {

class TestFinder {
public:
  TestFinder(const Hierarchy &H, const FlowGraph &Graph,
             const LoopForest &Forest, ArrayRef<BlockId> UnitOf,
             const OwnCode &Own)
      : H(H), Graph(Graph), Forest(Forest), UnitOf(UnitOf), Own(Own),
        Succ(UnitOf.size()), Mark(UnitOf.size()), Code(Forest.Loops.size()),
        Low(Forest.Loops.size(), ~uint64_t(0)), High(Forest.Loops.size()),
        TestedAtEnd(Forest.Loops.size()) {
    for (auto [A, B] : Graph.Edges)
      Succ[A].push_back(B);
    for (uint32_t N = 0; N < UnitOf.size(); ++N)
      for (uint32_t I = Forest.Innermost[N]; I != FlowLoop::None;
           I = Forest.Loops[I].Parent) {
        Code[I] += Own.Count[UnitOf[N]];
        Low[I] = std::min(Low[I], Own.Low[UnitOf[N]]);
        High[I] = std::max(High[I], Own.High[UnitOf[N]]);
      }
    for (auto [From, To] : Graph.Edges)
      for (uint32_t I = Forest.Innermost[To]; I != FlowLoop::None;
           I = Forest.Loops[I].Parent)
        if (Forest.Loops[I].Header == To && inside(I, From) &&
            mayLeave(I, From))
          TestedAtEnd[I] = true;
  }

  std::vector<uint32_t> find(uint32_t Loop) {
    L = Loop;
    Header = Forest.Loops[L].Header;
    std::vector<uint32_t> Test, Idle;
    const bool AllWrite = beforeWrites(Idle);
    const bool AtEnd = TestedAtEnd[L] || (AllWrite && isTestedLast());
    if (!AtEnd) {
      if (neverFails())
        return {};
      belowBody(Test);
      if (Test.empty())
        beforeJump(Test);
    }
    if (Test.empty())
      Test = std::move(Idle);
    if (Test.empty() && !AtEnd && !AllWrite)
      firstBranch(Test);
    sort(Test);
    return Test;
  }

private:
  const Hierarchy &H;
  const FlowGraph &Graph;
  const LoopForest &Forest;
  ArrayRef<BlockId> UnitOf;
  const OwnCode &Own;
  std::vector<SmallVector<uint32_t, 2>> Succ;
  std::vector<uint32_t> Mark; ///< by node: the last search that came there
  uint32_t Search = 0;
  // By loop: its instructions, and the memory that they are in.
  std::vector<uint64_t> Code, Low, High;
  std::vector<uint8_t> TestedAtEnd;
  uint32_t L = FlowLoop::None, Header = FlowLoop::None;
  std::vector<uint32_t> Queue;

  bool inside(uint32_t Loop, uint32_t N) const {
    return Forest.Innermost[N] != FlowLoop::None &&
           Forest.contains(Loop, Forest.Innermost[N]);
  }
  bool isOut(uint32_t Loop, uint64_t Address) const {
    return Address < Low[Loop] || Address > High[Loop];
  }
  /// Whether it has a way out, be it that this was never taken.
  bool mayLeave(uint32_t Loop, uint32_t N) const {
    if (leaves(Loop, N))
      return true;
    const BlockId Insn = Own.Last[UnitOf[N]];
    if (Insn >= H.Facts.size() || !H.Facts[Insn].Ways)
      return false;
    return isOut(Loop, H.Facts[Insn].Ways->first) ||
           isOut(Loop, H.Facts[Insn].Ways->second);
  }
  bool leaves(uint32_t Loop, uint32_t N) const {
    return Graph.End[N] ||
           any_of(Succ[N], [&](uint32_t To) { return !inside(Loop, To); });
  }
  uint64_t entry(uint32_t N) const {
    return H.Dict.Value[Own.First[UnitOf[N]]];
  }
  uint64_t exit(uint32_t N) const { return H.Dict.Value[Own.Last[UnitOf[N]]]; }

  /// Goes from what is in the queue to all nodes of the loop for which \p Enter
  /// is true, up to the end of the round.
  template <typename Function> void search(Function Enter) {
    ++Search;
    for (uint32_t N : Queue)
      Mark[N] = Search;
    for (size_t I = 0; I < Queue.size(); ++I) {
      const uint32_t N = Queue[I];
      for (uint32_t To : Succ[N])
        if (To != Header && Mark[To] != Search && inside(L, To)) {
          Mark[To] = Search;
          if (Enter(To))
            Queue.push_back(To);
        }
    }
  }

  /// True if all full rounds write memory. \p Test is what leaves before that.
  bool beforeWrites(std::vector<uint32_t> &Test) {
    bool IsKnown = true;
    std::vector<uint32_t> Writers;
    auto isFree = [&](uint32_t N) {
      const Writes W = Own.Memory[UnitOf[N]];
      IsKnown &= W != Writes::Unknown;
      if (W == Writes::Yes)
        Writers.push_back(N);
      return W == Writes::No;
    };
    Queue.clear();
    if (isFree(Header))
      Queue.push_back(Header);
    search(isFree);
    if (!IsKnown || any_of(Queue, [&](uint32_t N) {
          return is_contained(Succ[N], Header);
        }))
      return false;
    const std::vector<uint32_t> Free = std::move(Queue);
    Queue = std::move(Writers);
    search([](uint32_t) { return true; });
    for (uint32_t N : Free)
      if (Mark[N] != Search && leaves(L, N))
        Test.push_back(N);
    return true;
  }

  /// Whether, behind a way out, a round goes to its end without a choice or
  /// anything written.
  bool isTestedLast() {
    Queue.assign(1, Header);
    search([](uint32_t) { return true; });
    return any_of(Queue, [&](uint32_t N) {
      if (mayLeave(L, N))
        for (uint32_t To : Succ[N]) {
          while (inside(L, To) && To != Header && Succ[To].size() == 1 &&
                 Own.Memory[UnitOf[To]] == Writes::No)
            To = Succ[To][0];
          if (To == Header)
            return true;
        }
      return false;
    });
  }

  /// Whether a test below the body has never failed, so that the header's unit
  /// goes on behind it.
  bool neverFails() const {
    const uint64_t Top = entry(Header);
    SmallVector<BlockId, 32> Stack{UnitOf[Header]};
    while (!Stack.empty()) {
      const BlockId B = Stack.pop_back_val();
      if (H.Dict.Kind[B] == BlockKind::Sequence)
        append_range(Stack, reverse(H.body(B)));
      if (H.Dict.Kind[B] != BlockKind::Instruction ||
          B == Own.Last[UnitOf[Header]] || B >= H.Facts.size() ||
          !H.Facts[B].Ways)
        continue;
      const auto [Target, Next] = *H.Facts[B].Ways;
      if (isOut(L, Next) && Target == Low[L] && Target < Top)
        return true;
    }
    return false;
  }

  void belowBody(std::vector<uint32_t> &Test) {
    const uint64_t Top = entry(Header);
    Queue.assign(1, Header);
    search([&](uint32_t N) { return entry(N) > Top; });
    bool GoesUp = false;
    for (uint32_t N : Queue)
      if (mayLeave(L, N)) {
        Test.push_back(N);
        // Not only because a loop is entered below its header.
        GoesUp |= any_of(Succ[N], [&](uint32_t To) {
          return inside(L, To) && entry(To) == Low[L] && Low[L] < Top &&
                 Low[L] < exit(N);
        });
      }
    if (!GoesUp)
      Test.clear();
  }

  /// What Clang does not optimise jumps from a test to the body behind it; what
  /// leaves from elsewhere does not.
  void beforeJump(std::vector<uint32_t> &Test) {
    uint32_t First = FlowLoop::None;
    bool All = true;
    auto enter = [&](uint32_t N) {
      All &= !is_contained(Succ[N], Header);
      if (!leaves(L, N))
        return true;
      All &= First == FlowLoop::None;
      First = N;
      return false;
    };
    Queue.clear();
    if (enter(Header))
      Queue.push_back(Header);
    search(enter);
    if (First == FlowLoop::None || !All)
      return;
    const BlockId Branch = Own.Last[UnitOf[First]];
    if (Branch >= H.Facts.size() || !H.Facts[Branch].Ways)
      return;
    const uint64_t Next = H.Facts[Branch].Ways->second;
    for (uint32_t To : Succ[First])
      if (inside(L, To) && entry(To) == Next && jumpsToNext(To))
        Test.push_back(First);
  }

  /// Whether a node begins with a jump to the very next instruction.
  bool jumpsToNext(uint32_t N) const {
    SmallVector<BlockId, 16> Stack{UnitOf[N]};
    BlockId First = NoBlock;
    while (!Stack.empty()) {
      const BlockId B = Stack.pop_back_val();
      if (H.Dict.Kind[B] == BlockKind::Sequence)
        append_range(Stack, reverse(H.body(B)));
      if (H.Dict.Kind[B] != BlockKind::Instruction)
        continue;
      if (First != NoBlock) {
        const uint64_t Step = H.Dict.Value[B] - H.Dict.Value[First];
        return Step && Step <= 5;
      }
      First = B;
      if (B >= H.Facts.size() || !H.Facts[B].Jumps || H.Facts[B].Ways)
        return false;
    }
    return false;
  }

  void firstBranch(std::vector<uint32_t> &Test) {
    uint32_t End = Header;
    uint64_t Before = Own.Count[UnitOf[Header]];
    while (Succ[End].size() == 1 && !Graph.End[End] &&
           Forest.Innermost[Succ[End][0]] == L && Succ[End][0] != Header) {
      End = Succ[End][0];
      Before += Own.Count[UnitOf[End]];
    }
    if (leaves(L, End) && !is_contained(Succ[End], Header) &&
        2 * Before <= Code[L])
      Test.push_back(End);
  }
};

} // namespace

std::vector<std::vector<uint32_t>> findLoopTests(const Hierarchy &H,
                                                 const FlowGraph &Graph,
                                                 const LoopForest &Forest,
                                                 ArrayRef<BlockId> UnitOf,
                                                 const OwnCode &Own) {
  std::vector<std::vector<uint32_t>> Tests;
  if (Forest.Loops.empty())
    return Tests;
  TestFinder Finder(H, Graph, Forest, UnitOf, Own);
  for (uint32_t L = 0; L < Forest.Loops.size(); ++L)
    Tests.push_back(Finder.find(L));
  return Tests;
}

} // namespace rw::htr
