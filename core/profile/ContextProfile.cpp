//===- ContextProfile.cpp - Costs by who called whom ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ContextProfile.h"
#include "llvm/ADT/bit.h"

namespace rw {

const BlockRole ContextProfile::NoRole;
const ActivationSummary ContextProfile::NoActivations;

ContextTree::NodeId ContextProfile::addRoot() {
  ContextTree::NodeId N = Tree.addRoot();
  grow();
  return N;
}

void ContextProfile::setRole(ProfileBlockId X, const BlockRole &R) {
  if (X >= Roles.size())
    Roles.resize(X + 1);
  Roles[X] = R;
}

void ContextProfile::grow() {
  NodeSelf.resize(Tree.nodes().size() * K);
  OfNode.resize(Tree.nodes().size());
  EdgeTotal.resize(Tree.edges().size() * K);
  OfEdge.resize(Tree.edges().size());
}

std::vector<uint64_t> ContextProfile::selfOfBlocks() const {
  std::vector<uint64_t> Self(size_t(numBlocks()) * K);
  for (size_t N = 0; N < Tree.nodes().size(); ++N)
    if (!Tree.isRoot(ContextTree::NodeId(N)))
      for (unsigned M = 0; M < K; ++M)
        Self[size_t(Tree.nodes()[N].Block) * K + M] += NodeSelf[N * K + M];
  return Self;
}

std::vector<uint64_t> ContextProfile::inclusiveOfNodes() const {
  std::vector<uint64_t> Sums = NodeSelf;
  for (size_t N = Tree.nodes().size(); N-- > 0;)
    if (size_t Parent = Tree.nodes()[N].Parent; Parent != N)
      for (unsigned M = 0; M < K; ++M)
        Sums[Parent * K + M] += Sums[N * K + M];
  return Sums;
}

template <typename T> static uint64_t bytesOf(const std::vector<T> &V) {
  return V.capacity() * sizeof(T);
}

uint64_t ContextProfile::bytes() const {
  return Tree.bytes() + bytesOf(Roles) + bytesOf(NodeSelf) +
         bytesOf(BlockTotal) + bytesOf(EdgeTotal) + bytesOf(OfNode) +
         bytesOf(OfBlock) + bytesOf(OfEdge);
}

ProfileStack::ProfileStack(ContextProfile &To, ThreadIndex T,
                           ContextTree::NodeId Root)
    : P(To), Thread(T), Root(Root), K(To.K), Current(Root), Sum(To.K),
      SelectedActive(To.Selections ? 64 - llvm::countl_zero(To.Selections) : 0),
      Unselected(To.Selections) {}

void ProfileStack::gate(const BlockRole &R, int By) {
  Excluded += uint64_t(int64_t(R.Excluded ? By : 0));
  for (uint64_t Bits = R.Selected; Bits; Bits &= Bits - 1) {
    unsigned Bit = unsigned(llvm::countr_zero(Bits));
    SelectedActive[Bit] += uint32_t(By);
    if (SelectedActive[Bit])
      Unselected &= ~(uint64_t(1) << Bit);
    else
      Unselected |= uint64_t(1) << Bit;
  }
}

void ProfileStack::grow() {
  P.grow();
  NodeActive.resize(P.OfNode.size());
  EdgeActive.resize(P.OfEdge.size());
}

void ProfileStack::push(ProfileBlockId X, Position Start, bool TailCall) {
  apply(X, 1);
  if (P.role(X).Folded) {
    // The first folded block that is pushed: all before it were not.
    Order.resize(std::max(Order.size(), Frames.size()), NoProfileBlock);
    Order.push_back(X);
    return;
  }
  if (!Order.empty())
    Order.push_back(NoProfileBlock);
  auto [Node, Edge] = P.Tree.push(Current, X);
  if (Node >= NodeActive.size() || Edge >= EdgeActive.size())
    grow();
  if (X >= BlockActive.size())
    BlockActive.resize(X + 1);
  if (X >= P.OfBlock.size()) {
    P.OfBlock.resize(X + 1);
    P.BlockTotal.resize(size_t(X + 1) * K);
  }
  uint32_t Outermost = 0;
  if (!BlockActive[X]++)
    Outermost |= OfBlock;
  if (!EdgeActive[Edge]++)
    Outermost |= OfEdge;
  if (!NodeActive[Node]++)
    Outermost |= OfNode;
  Frames.push_back(
      {Node, Edge | Outermost | (TailCall ? uint32_t(ByTailCall) : 0)});
  if (Outermost || P.OnActivation) {
    Saved.push_back(Start);
    Saved.insert(Saved.end(), Sum.begin(), Sum.end());
  }
  Current = Node;
}

void ProfileStack::pop() {
  if (!Order.empty()) {
    ProfileBlockId X = Order.back();
    Order.pop_back();
    if (X != NoProfileBlock) {
      apply(X, -1);
      return;
    }
  }
  Frame F = Frames.back();
  Frames.pop_back();
  ContextTree::EdgeId Edge = F.EdgeAndMarks & EdgeBits;
  ProfileBlockId X = P.Tree.nodes()[F.Node].Block;
  apply(X, -1);
  --BlockActive[X];
  --EdgeActive[Edge];
  --NodeActive[F.Node];
  bool WasCounted = Counted > Frames.size();
  if (WasCounted)
    Counted = Frames.size();
  if ((F.EdgeAndMarks & Marks) || P.OnActivation) {
    size_t At = Saved.size() - (K + 1);
    const uint64_t *Before = &Saved[At + 1];
    auto Add = [&](std::vector<uint64_t> &To, size_t I) {
      for (unsigned M = 0; M < K; ++M)
        To[I * K + M] += Sum[M] - Before[M];
    };
    auto Longest = [&](ActivationSummary &A) {
      uint64_t Cost = Sum[0] - Before[0];
      if (Cost > A.LongestCost) {
        A.Longest = {Thread, Saved[At]};
        A.LongestCost = Cost;
      }
    };
    if (WasCounted) {
      CountedSaved = At;
      if (F.EdgeAndMarks & OfBlock) {
        Add(P.BlockTotal, X);
        Longest(P.OfBlock[X]);
      }
      if (F.EdgeAndMarks & OfEdge) {
        Add(P.EdgeTotal, Edge);
        Longest(P.OfEdge[Edge]);
      }
      if (F.EdgeAndMarks & OfNode)
        Longest(P.OfNode[F.Node]);
    }
    Saved.resize(At);
  }
  Current = Frames.empty() ? Root : Frames.back().Node;
}

/// Something counts for all that is on the stack.
void ProfileStack::countActivations() {
  bool Tail = false;
  auto Count = [&](ActivationSummary &A, bool Outermost) {
    // Within another one, its start is not the first.
    if (A.Count++ == 0 && Outermost)
      A.First = A.Longest = {Thread, Saved[CountedSaved]};
    A.TailCalls += Tail;
  };
  for (; Counted < Frames.size(); ++Counted) {
    const Frame &F = Frames[Counted];
    Tail = F.EdgeAndMarks & ByTailCall;
    ContextTree::EdgeId Edge = F.EdgeAndMarks & EdgeBits;
    Count(P.OfBlock[P.Tree.nodes()[F.Node].Block], F.EdgeAndMarks & OfBlock);
    Count(P.OfEdge[Edge], F.EdgeAndMarks & OfEdge);
    Count(P.OfNode[F.Node], F.EdgeAndMarks & OfNode);
    if (P.OnActivation)
      P.OnActivation(F.Node, Edge, {Thread, Saved[CountedSaved]});
    if ((F.EdgeAndMarks & Marks) || P.OnActivation)
      CountedSaved += K + 1;
  }
}

void ProfileStack::sample(llvm::ArrayRef<uint64_t> Costs) {
  P.Sampled = true;
  if (!counts()) {
    for (unsigned M = 0; M < K; ++M)
      P.LeftOut[M] += Costs[M];
    return;
  }
  if (Counted < Frames.size())
    countActivations();
  for (unsigned M = 0; M < K; ++M) {
    Sum[M] += Costs[M];
    P.Total[M] += Costs[M];
    P.NodeSelf[size_t(Current) * K + M] += Costs[M];
  }
}

} // namespace rw
