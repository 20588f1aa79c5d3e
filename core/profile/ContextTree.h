//===- ContextTree.h - Chains of callers, bounded by the code ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_CONTEXTTREE_H
#define REWIND_PROFILE_CONTEXTTREE_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <vector>

namespace rw {

/// What a profile is by: a function, a source line, a block of HTR. Dense.
using ProfileBlockId = uint32_t;
constexpr ProfileBlockId NoProfileBlock = ~ProfileBlockId(0);

/// A tree of nodes labelled with blocks; a path from a root is a sequence of
/// blocks on the stack. How long a run was does not matter for its size, since
/// paths are cut short. Nothing is ever taken away.
class ContextTree {
public:
  using NodeId = uint32_t;
  using EdgeId = uint32_t;

  /// What happens where X is called from the block of node P, and P -> X is
  /// already on the path from the root to P.
  enum class Rule : uint8_t {
    /// It goes on at that X: on no path is an edge twice, so none is longer
    /// than the program has edges. What lay between that X and P is no longer
    /// on the path.
    EdgeOnce,
    /// It goes on at an X, if there is one, that has the same edges on its path
    /// as there would be now; else the path is made longer. So the set of
    /// blocks, and of edges, on a path is that of the stack, but for how often
    /// each is there. No path is longer than edges times blocks.
    KeepEdges,
  };

  struct Node {
    ProfileBlockId Block = NoProfileBlock; ///< none: a root
    NodeId Parent = 0;                     ///< a root is its own
    NodeId Grown = 0; ///< nearest one up the path that had a new edge
  };
  struct Edge {
    ProfileBlockId From = NoProfileBlock; ///< none: from outside
    ProfileBlockId To = NoProfileBlock;
  };
  struct Step {
    NodeId To;
    EdgeId Over;
  };

  explicit ContextTree(Rule R = Rule::EdgeOnce) : How(R) {}

  NodeId addRoot();
  /// Where a call of \p X at node \p P leads to. O(1) but for the first time.
  Step push(NodeId P, ProfileBlockId X) {
    auto It = Steps.find(key(P, X));
    return It != Steps.end() ? It->second : newStep(P, X);
  }

  /// Parents come before their children.
  const std::vector<Node> &nodes() const { return Nodes; }
  const std::vector<Edge> &edges() const { return Edges; }
  bool isRoot(NodeId N) const { return Nodes[N].Block == NoProfileBlock; }
  /// The blocks on the way to a node, outermost first.
  std::vector<ProfileBlockId> path(NodeId N) const;
  uint64_t bytes() const;

private:
  Step newStep(NodeId P, ProfileBlockId X);
  NodeId target(NodeId P, ProfileBlockId X);
  NodeId addNode(NodeId P, ProfileBlockId X, NodeId Grown);
  static uint64_t key(uint32_t A, uint32_t B) { return uint64_t(A) << 32 | B; }

  Rule How;
  std::vector<Node> Nodes;
  std::vector<Edge> Edges;
  llvm::DenseMap<uint64_t, Step> Steps;
  llvm::DenseMap<uint64_t, EdgeId> EdgeIds;
};

} // namespace rw

#endif // REWIND_PROFILE_CONTEXTTREE_H
