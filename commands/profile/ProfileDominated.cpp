//===- ProfileDominated.cpp - rewind profile dominated --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileLists.h"

using namespace llvm;

namespace rw {

static std::vector<ProfileRow> dominatedRows(ProfileView &V) {
  std::vector<ProfileRow> Rows;
  std::vector<uint64_t> Self = V.profile().selfOfBlocks();
  size_t K = V.metrics().size();
  for (ProfileBlockId B = 0; B < V.profile().numBlocks(); ++B)
    if (V.profile().ofBlock(B).Count) {
      Rows.push_back(blockRow(V, B, V.profile().dominated(B)));
      Rows.back().Self = costsOf(Self, B, K);
    }
  addOutside(V, Rows, /*WithSelf=*/true);
  return Rows;
}

static Error dominated(Session &S, const ParsedOptions &O) {
  return listProfile(S, O, "dominated", "", dominatedRows);
}

extern const Command ProfileDominatedCommand = {
    .Name = "profile dominated",
    .Summary =
        "Show what is spent while a function, line or block is on the stack",
    .Help = R"(
As 'profile self', with callees. What runs below a recursive function counts
once. The sums are exact: they are made from the whole stacks, not from the tree
that 'profile tree' shows. A tail call takes the place of the function that
jumped; 'profile functions' counts what it runs to that one, too.

  rewind profile dominated -c 5
  (lldb) rewind profile dominated --row 4 --goto first
)",
    .Options = ProfileListOptions,
    .MaxArguments = 0,
    .Run = dominated,
    .OnlyAsks = true,
};

} // namespace rw
