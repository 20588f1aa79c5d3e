//===- ProfileSelf.cpp - rewind profile self ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileLists.h"

using namespace llvm;

namespace rw {

static std::vector<ProfileRow> selfRows(ProfileView &V) {
  std::vector<ProfileRow> Rows;
  std::vector<uint64_t> Self = V.profile().selfOfBlocks();
  size_t K = V.metrics().size();
  for (ProfileBlockId B = 0; B < V.profile().numBlocks(); ++B)
    if (V.profile().ofBlock(B).Count)
      Rows.push_back(blockRow(V, B, costsOf(Self, B, K)));
  addOutside(V, Rows);
  return Rows;
}

static Error self(Session &S, const ParsedOptions &O) {
  return listProfile(S, O, "self", "", selfRows);
}

extern const Command ProfileSelfCommand = {
    .Name = "profile self",
    .Summary = "Show what each function, line or block costs by itself",
    .Help = R"(
Most expensive first, with the number of its activations, the first one and the
longest one (with what that cost, callees included). The costs add up to the
total. What --select, --exclude and --fold leave is what counts.

  rewind profile self -c 5
  rewind profile self --by lines --metric taken-branches -c 5
  rewind profile self --select main --fold find --metric time/instructions
  (lldb) rewind profile self --goto longest
)",
    .Options = ProfileListOptions,
    .MaxArguments = 0,
    .Run = self,
    .OnlyAsks = true,
};

} // namespace rw
