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
        Body(Forest.Loops.size(), ~uint64_t(0)),
        TestedAtEnd(Forest.Loops.size()) {
    for (auto [A, B] : Graph.Edges)
      Succ[A].push_back(B);
    for (uint32_t N = 0; N < UnitOf.size(); ++N)
      for (uint32_t I = Forest.Innermost[N]; I != FlowLoop::None;
           I = Forest.Loops[I].Parent) {
        Code[I] += Own.Count[UnitOf[N]];
        Low[I] = std::min(Low[I], Own.Low[UnitOf[N]]);
        if (!onlyJumpsBack(N, Forest.Loops[I].Header))
          Body[I] = std::min(Body[I], entry(N));
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
    if (carriesNothing()) {
      if (Body[L] < entry(Header)) {
        if (!neverFails(Header))
          belowBody(Test);
      } else if (!TestedAtEnd[L]) {
        // A way out that is not below the loop is another one's, by a jump.
        if (auto N = firstWayOut();
            N && isOut(L, H.Facts[Own.Last[UnitOf[*N]]].Ways->first) &&
            (isBeforeJump(*N) || !isBeforeNop(*N)))
          Test.push_back(*N);
      }
      sort(Test);
      return Test;
    }
    const bool AllWrite = beforeWrites(Idle);
    const bool AtEnd = TestedAtEnd[L] || (AllWrite && isTestedLast());
    if (!AtEnd) {
      if (neverFails(Header))
        return {};
      belowBody(Test);
      if (Test.empty())
        if (auto N = firstWayOut(); N && isBeforeJump(*N))
          Test.push_back(*N);
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
  std::vector<uint64_t> Body; ///< by loop: where it begins but for jumps back
  std::vector<uint8_t> TestedAtEnd;
  uint32_t L = FlowLoop::None, Header = FlowLoop::None;
  std::vector<uint32_t> Queue;
  std::vector<uint64_t> Before; ///< by node: see carriesNothing()

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
  /// False: it was left by what is no jump, such as a call that did not return.
  bool chooses(uint32_t N) const {
    const BlockId Insn = Own.Last[UnitOf[N]];
    return Insn >= H.Facts.size() || !H.Facts[Insn].Registers ||
           H.Facts[Insn].Jumps;
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

  /// Whether no value is in a register when a round begins, as in code that a
  /// compiler has not optimised. What it makes of loops is known.
  bool carriesNothing() {
    // Forwards: the registers that are not written yet.
    Before.resize(UnitOf.size());
    Queue.assign(1, Header);
    ++Search;
    Mark[Header] = Search;
    Before[Header] = ~uint64_t(0);
    while (!Queue.empty()) {
      const uint32_t N = Queue.back();
      Queue.pop_back();
      const auto &Use = Own.Registers[UnitOf[N]];
      if (!Use || (Use->Reads & Before[N]))
        return false;
      const uint64_t Behind = Before[N] & ~Use->Writes;
      for (uint32_t To : Succ[N]) {
        // Such code returns at the end of the function, and nowhere else.
        if (!inside(L, To) && Graph.End[To] && !isOut(L, exit(To)))
          return false;
        if (To == Header || !inside(L, To))
          continue;
        const uint64_t Old = Mark[To] == Search ? Before[To] : 0;
        if (Mark[To] == Search && (Old | Behind) == Old)
          continue;
        Mark[To] = Search;
        Before[To] = Old | Behind;
        Queue.push_back(To);
      }
    }
    return true;
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
      if (Mark[N] != Search && leaves(L, N) && chooses(N))
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

  /// Whether a test below the body has never failed, so that the unit that it
  /// is in goes on behind it, at the top of the body.
  bool neverFails(uint32_t N) const {
    const uint64_t Top = entry(Header);
    SmallVector<BlockId, 32> Stack{UnitOf[N]};
    while (!Stack.empty()) {
      const BlockId B = Stack.pop_back_val();
      if (H.Dict.Kind[B] == BlockKind::Sequence)
        append_range(Stack, reverse(H.body(B)));
      if (H.Dict.Kind[B] != BlockKind::Instruction ||
          B == Own.Last[UnitOf[N]] || B >= H.Facts.size() || !H.Facts[B].Ways)
        continue;
      const auto [Target, Next] = *H.Facts[B].Ways;
      if (isOut(L, Next) && Target == Low[L] && Target < Top)
        return true;
    }
    return false;
  }

  void belowBody(std::vector<uint32_t> &Test) {
    const uint64_t Top = entry(Header);
    bool GoesUp = false;
    Queue.assign(1, Header);
    search([&](uint32_t N) {
      const bool Ends = neverFails(N);
      GoesUp |= Ends;
      return !Ends && entry(N) > Top;
    });
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

  /// "if (c) goto again": what is behind the branch is not the loop's body.
  bool onlyJumpsBack(uint32_t N, uint32_t Header) const {
    const auto &Use = Own.Registers[UnitOf[N]];
    return Succ[N].size() == 1 && Succ[N][0] == Header && Use && !Use->Reads &&
           !Use->Writes && Own.Memory[UnitOf[N]] == Writes::No;
  }

  /// The branch that rounds can leave the loop by before any other, if all come
  /// to it; and whether it leads out to below the loop. Code that is not
  /// optimised only.
  std::optional<uint32_t> firstWayOut() {
    uint32_t First = FlowLoop::None;
    bool All = true;
    auto enter = [&](uint32_t N) {
      All &= none_of(Succ[N], [&](uint32_t To) {
        return To == Header || onlyJumpsBack(To, Header);
      });
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
      return std::nullopt;
    const BlockId Branch = Own.Last[UnitOf[First]];
    if (Branch >= H.Facts.size() || !H.Facts[Branch].Ways)
      return std::nullopt;
    return First;
  }

  /// What Clang does not optimise jumps from a test to the body behind it. What
  /// leaves from elsewhere does not.
  bool isBeforeJump(uint32_t N) const {
    const uint64_t Next = H.Facts[Own.Last[UnitOf[N]]].Ways->second;
    return any_of(Succ[N], [&](uint32_t To) {
      return inside(L, To) && entry(To) == Next && jumpsToNext(To);
    });
  }

  /// For other instruction sets it does not jump. There GCC's code is like it,
  /// where an endless loop is left by a break or ends with a goto; but a nop
  /// is behind the branch.
  bool isBeforeNop(uint32_t N) const {
    return any_of(Succ[N], [&](uint32_t To) {
      const BlockId First = Own.First[UnitOf[To]];
      return First < H.Facts.size() && H.Facts[First].Nop;
    });
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
    if (leaves(L, End) && chooses(End) && !is_contained(Succ[End], Header) &&
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
