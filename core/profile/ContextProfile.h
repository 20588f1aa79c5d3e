//===- ContextProfile.h - Costs by who called whom --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PROFILE_CONTEXTPROFILE_H
#define REWIND_PROFILE_CONTEXTPROFILE_H

#include "core/model/Types.h"
#include "core/profile/ContextTree.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>

namespace rw {

/// What is asked of a block before any cost is counted. Blocks are selected and
/// excluded on the stack as it is; then those that are folded are taken out of
/// it, and what they cost falls to their callers.
struct BlockRole {
  uint64_t Selected = 0; ///< a bit for each selection that it answers to
  bool Excluded = false;
  bool Folded = false;
};

/// The activations of a block, over an edge, or at a node: those during which
/// anything was counted.
struct ActivationSummary {
  struct Place {
    ThreadIndex Thread = 0;
    Position Start = 0;
  };
  uint64_t Count = 0;
  uint64_t TailCalls = 0; ///< of them, in the place of the one that jumped
  Place First, Longest;   ///< mean nothing if Count is 0
  /// By the first metric, callees included; the first one of equals.
  uint64_t LongestCost = 0;
};

/// What a sweep over the stacks of a trace adds up. `Metrics` costs are kept
/// for everything, one beside the other. Memory: bounded by the code.
class ContextProfile {
public:
  /// \p Selections are the bits of BlockRole::Selected that must all be on a
  /// stack for its costs to count.
  ContextProfile(unsigned Metrics, ContextTree::Rule Rule,
                 uint64_t Selections = 0)
      : Tree(Rule), K(Metrics), Selections(Selections), Total(Metrics),
        LeftOut(Metrics) {}

  unsigned numMetrics() const { return K; }
  const ContextTree &tree() const { return Tree; }
  ContextTree::NodeId addRoot();

  /// Told of a block before it is first pushed.
  void setRole(ProfileBlockId X, const BlockRole &R);
  const BlockRole &role(ProfileBlockId X) const {
    return X < Roles.size() ? Roles[X] : NoRole;
  }

  using Costs = llvm::ArrayRef<uint64_t>;
  /// The costs of everything that counts: the sum over all nodes.
  Costs total() const { return Total; }
  /// What was sampled and did not count, because of what was on the stack.
  Costs leftOut() const { return LeftOut; }
  /// Whether anything was sampled.
  bool sampled() const { return Sampled; }
  /// With that sequence on the stack (as the tree cuts it short). A root's: on
  /// no block that is not folded.
  Costs ofNode(ContextTree::NodeId N) const { return slice(NodeSelf, N); }
  /// While the block, or the edge, was on the stack, once or more often: exact,
  /// whatever the tree has lost of the stack.
  Costs dominated(ProfileBlockId X) const { return slice(BlockTotal, X); }
  Costs over(ContextTree::EdgeId E) const { return slice(EdgeTotal, E); }
  /// Self costs of all blocks, one after the other.
  std::vector<uint64_t> selfOfBlocks() const;
  /// Each node's costs with all below it in the tree, one after the other.
  std::vector<uint64_t> inclusiveOfNodes() const;

  const ActivationSummary &atNode(ContextTree::NodeId N) const {
    return OfNode[N];
  }
  const ActivationSummary &ofBlock(ProfileBlockId X) const {
    return X < OfBlock.size() ? OfBlock[X] : NoActivations;
  }
  const ActivationSummary &ofEdge(ContextTree::EdgeId E) const {
    return OfEdge[E];
  }
  /// One more than the highest block that was ever pushed and not folded.
  ProfileBlockId numBlocks() const { return ProfileBlockId(OfBlock.size()); }
  uint64_t bytes() const;

  /// If set: gets each activation that counts, in order of entry within a
  /// thread.
  std::function<void(ContextTree::NodeId, ContextTree::EdgeId,
                     ActivationSummary::Place)>
      OnActivation;

private:
  friend class ProfileStack;
  Costs slice(const std::vector<uint64_t> &V, size_t I) const {
    if ((I + 1) * K > V.size())
      return Zero(K);
    return Costs(V).slice(I * K, K);
  }
  static Costs Zero(unsigned K) {
    static const uint64_t None[64] = {};
    return Costs(None, K);
  }
  void grow();

  static const BlockRole NoRole;
  static const ActivationSummary NoActivations;
  ContextTree Tree;
  const unsigned K;
  const uint64_t Selections;
  std::vector<BlockRole> Roles;
  bool Sampled = false;
  std::vector<uint64_t> Total, LeftOut, NodeSelf, BlockTotal, EdgeTotal;
  std::vector<ActivationSummary> OfNode, OfBlock, OfEdge;
};

/// The stack of a thread, as it grows and shrinks: adds what is sampled to a
/// profile. 8 bytes for each level.
class ProfileStack {
public:
  /// \p To must stay.
  ProfileStack(ContextProfile &To, ThreadIndex T, ContextTree::NodeId Root);

  void push(ProfileBlockId X, Position Start, bool TailCall = false);
  void pop();
  /// What selects or excludes comes (1) or goes (-1), without being on the
  /// stack itself.
  void gate(const BlockRole &R, int By);
  /// A tail call.
  void replace(ProfileBlockId X, Position Start) {
    pop();
    push(X, Start, /*TailCall=*/true);
  }
  /// Costs of what ran on the stack as it is.
  void sample(llvm::ArrayRef<uint64_t> Costs);
  /// Whether a sample would count now.
  bool counts() const { return !Unselected && !Excluded; }
  bool empty() const { return Frames.empty() && Order.empty(); }
  void popAll() {
    while (!empty())
      pop();
  }

private:
  /// Whether it is the outermost one on the stack of its block, its edge, its
  /// node: only these are timed.
  enum : uint32_t {
    ByTailCall = 1u << 28, ///< how it came onto the stack
    OfBlock = 1u << 29,
    OfEdge = 1u << 30,
    OfNode = 1u << 31,
    Marks = OfBlock | OfEdge | OfNode,
    EdgeBits = ByTailCall - 1
  };
  struct Frame {
    ContextTree::NodeId Node;
    uint32_t EdgeAndMarks;
  };
  void apply(ProfileBlockId X, int By) { gate(P.role(X), By); }
  void grow();
  void countActivations();

  ContextProfile &P;
  const ThreadIndex Thread;
  const ContextTree::NodeId Root;
  const unsigned K;
  ContextTree::NodeId Current;
  std::vector<Frame> Frames;
  /// If blocks are folded: for each push the folded block, or none.
  std::vector<ProfileBlockId> Order;
  /// For each marked frame: its start, and Sum as it was then.
  std::vector<uint64_t> Saved;
  std::vector<uint64_t> Sum; ///< all that was sampled
  std::vector<uint32_t> BlockActive, EdgeActive, NodeActive;
  std::vector<uint32_t> SelectedActive; ///< by bit
  uint64_t Unselected, Excluded = 0;    ///< bits; blocks on the stack
  /// The frames (and marked ones) whose activations are counted.
  size_t Counted = 0, CountedSaved = 0;
};

} // namespace rw

#endif // REWIND_PROFILE_CONTEXTPROFILE_H
