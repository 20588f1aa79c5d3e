//===- BlockGroups.cpp - Blocks that follow each other --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/BlockGroups.h"
#include <algorithm>

using namespace llvm;

namespace rw::htm {

BlockGroups::Group &BlockGroups::add(ArrayRef<const CodeBlock *> Blocks) {
  Group &G = Groups.emplace_back();
  G.Id = uint32_t(Groups.size() - 1);
  G.Blocks = Blocks;
  for (const CodeBlock *B : Blocks)
    G.NumInsns += B->NumInsns;
  return G;
}

BlockGroups::Group &BlockGroups::single(const CodeBlock &B) {
  if (B.Id >= Singles.size())
    Singles.resize(std::max<size_t>(B.Id + 1, 2 * Singles.size()));
  Group *&G = Singles[B.Id];
  if (!G)
    G = &add(&B);
  return *G;
}

/// The group of \p G and \p B after it, if there is one.
inline BlockGroups::Group *BlockGroups::longer(Group &G, const CodeBlock &B,
                                               CanJoin Can) {
  if (!G.Nexts.empty() && G.Nexts[0].Block == B.Id && G.Nexts[0].Longer)
    return G.Nexts[0].Longer;
  return otherLonger(G, B, Can);
}

BlockGroups::Group *BlockGroups::otherLonger(Group &G, const CodeBlock &B,
                                             CanJoin Can) {
  for (size_t I = 0; I < G.Nexts.size(); ++I) {
    if (G.Nexts[I].Block != B.Id)
      continue;
    // The one of last time comes first.
    if (I)
      std::swap(G.Nexts[I], G.Nexts[0]);
    Group::Next &N = G.Nexts[0];
    if (Policy.decide(N.Times, G.NumInsns + B.NumInsns) && Can(G, B)) {
      SmallVector<const CodeBlock *, 16> Blocks(G.Blocks.begin(),
                                                G.Blocks.end());
      Blocks.push_back(&B);
      N.Longer = &add(Blocks);
      N.Longer->Heat = JoinPolicy::Hot;
      Policy.joined(N.Longer->NumInsns);
    }
    return N.Longer;
  }
  if (G.Heat < JoinPolicy::Hot)
    ++G.Heat;
  else if (G.Nexts.size() < MaxNexts)
    G.Nexts.push_back({B.Id});
  return nullptr;
}

BlockGroups::Group &BlockGroups::longest(ArrayRef<Execution> Executions,
                                         CanJoin Can) {
  const Execution &First = Executions.front();
  Group *G = &single(*First.Block);
  for (const Execution &E : Executions.drop_front()) {
    if (E.Time != First.Time || E.Context != First.Context ||
        E.ContextKnown != First.ContextKnown)
      break;
    Group *L = longer(*G, *E.Block, Can);
    if (!L)
      break;
    G = L;
  }
  return *G;
}

void BlockGroups::clear() {
  Groups.clear();
  Singles.clear();
  Policy = {};
}

} // namespace rw::htm
