//===- ContextTree.cpp - Chains of callers, bounded by the code -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ContextTree.h"
#include <algorithm>

namespace rw {

ContextTree::NodeId ContextTree::addRoot() {
  NodeId N = NodeId(Nodes.size());
  Nodes.push_back({NoProfileBlock, N, N});
  return N;
}

ContextTree::NodeId ContextTree::addNode(NodeId P, ProfileBlockId X,
                                         NodeId Grown) {
  NodeId N = NodeId(Nodes.size());
  Nodes.push_back({X, P, Grown == ~NodeId(0) ? N : Grown});
  return N;
}

ContextTree::NodeId ContextTree::target(NodeId P, ProfileBlockId X) {
  ProfileBlockId Caller = Nodes[P].Block;
  for (NodeId N = P; !isRoot(N); N = Nodes[N].Parent) {
    if (Nodes[N].Block != X || Nodes[Nodes[N].Parent].Block != Caller)
      continue;
    if (How == Rule::EdgeOnce)
      return N;
    NodeId Grown = Nodes[P].Grown;
    for (NodeId M = P;; M = Nodes[M].Parent) {
      if (Nodes[M].Block == X)
        return M;
      if (M == Grown)
        return addNode(P, X, Grown);
    }
  }
  return addNode(P, X, ~NodeId(0));
}

ContextTree::Step ContextTree::newStep(NodeId P, ProfileBlockId X) {
  ProfileBlockId Caller = Nodes[P].Block;
  Step S;
  S.To = target(P, X);
  auto [It, New] = EdgeIds.try_emplace(key(Caller, X), EdgeId(Edges.size()));
  if (New)
    Edges.push_back({Caller, X});
  S.Over = It->second;
  Steps[key(P, X)] = S;
  return S;
}

std::vector<ProfileBlockId> ContextTree::path(NodeId N) const {
  std::vector<ProfileBlockId> Path;
  for (; !isRoot(N); N = Nodes[N].Parent)
    Path.push_back(Nodes[N].Block);
  std::reverse(Path.begin(), Path.end());
  return Path;
}

uint64_t ContextTree::bytes() const {
  return Nodes.capacity() * sizeof(Node) + Edges.capacity() * sizeof(Edge) +
         Steps.getMemorySize() + EdgeIds.getMemorySize();
}

} // namespace rw
