//===- ProfileSequences.cpp - rewind profile sequences --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileLists.h"

using namespace llvm;

namespace rw {

static std::vector<ProfileRow> sequenceRows(ProfileView &V) {
  std::vector<ProfileRow> Rows;
  const ContextTree &Tree = V.profile().tree();
  for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N) {
    if (Tree.isRoot(N) || !V.profile().atNode(N).Count)
      continue;
    ProfileRow R;
    R.About = ProfileRow::Node;
    R.Id = N;
    R.Of = Tree.nodes()[N].Block;
    R.Cost = V.profile().ofNode(N).vec();
    R.Activations = V.profile().atNode(N);
    for (ProfileBlockId B : Tree.path(N))
      R.Name += (R.Name.empty() ? "" : " > ") + blockName(V, B);
    Rows.push_back(std::move(R));
  }
  addOutside(V, Rows);
  return Rows;
}

static Error sequences(Session &S, const ParsedOptions &O) {
  return listProfile(S, O, "self", "sequence", sequenceRows);
}

extern const Command ProfileSequencesCommand = {
    .Name = "profile sequences",
    .Summary = "Show what each chain of callers costs",
    .Help = R"(
The nodes of the tree that 'profile tree' shows, each with the way to it, the
most expensive first. A chain has no call twice; see there.

  rewind profile sequences -c 5
)",
    .Options = ProfileListOptions,
    .MaxArguments = 0,
    .Run = sequences,
    .OnlyAsks = true,
};

} // namespace rw
