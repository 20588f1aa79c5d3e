//===- ProfileDiff.cpp - What changed between two profiles ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/profile/ProfileDiff.h"

namespace rw {

using Changes = std::map<std::vector<std::string>, ContextChange>;

static void addSide(const ContextProfile &P, ProfileBlocks &Blocks,
                    std::optional<ContextChange::Side> ContextChange::*Which,
                    bool Flat, Changes &To) {
  const ContextTree &Tree = P.tree();
  for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N) {
    const ActivationSummary &A = P.atNode(N);
    bool Costs = llvm::any_of(P.ofNode(N), [](uint64_t C) { return C != 0; });
    if (!A.Count && !Costs)
      continue;
    std::vector<std::string> Path;
    for (ProfileBlockId B : Tree.path(N))
      Path.push_back(Blocks[B].Name);
    if (Flat && !Path.empty())
      Path.erase(Path.begin(), Path.end() - 1);
    auto &Side = To[Path].*Which;
    if (!Side) {
      Side = {P.ofNode(N).vec(), A};
      continue;
    }
    for (unsigned M = 0; M < P.numMetrics(); ++M)
      Side->Self[M] += P.ofNode(N)[M];
    ActivationSummary &Sum = Side->Activations;
    if (A.Count &&
        (!Sum.Count || std::pair(A.First.Thread, A.First.Start) <
                           std::pair(Sum.First.Thread, Sum.First.Start)))
      Sum.First = A.First;
    if (A.Count && (!Sum.Count || A.LongestCost > Sum.LongestCost)) {
      Sum.Longest = A.Longest;
      Sum.LongestCost = A.LongestCost;
    }
    Sum.Count += A.Count;
    Sum.TailCalls += A.TailCalls;
  }
}

std::vector<ContextChange> diffProfiles(const ContextProfile &Before,
                                        ProfileBlocks &BlocksBefore,
                                        const ContextProfile &After,
                                        ProfileBlocks &BlocksAfter, bool Flat) {
  Changes Found;
  addSide(Before, BlocksBefore, &ContextChange::Before, Flat, Found);
  addSide(After, BlocksAfter, &ContextChange::After, Flat, Found);
  std::vector<ContextChange> All;
  for (auto &[Path, C] : Found) {
    C.Path = Path;
    All.push_back(std::move(C));
  }
  return All;
}

} // namespace rw
