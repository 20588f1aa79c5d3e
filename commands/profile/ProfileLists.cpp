//===- ProfileLists.cpp - rewind profile self, dominated, sequences -------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileRows.h"

using namespace llvm;

namespace rw {

static std::vector<uint64_t> slice(const std::vector<uint64_t> &All, size_t I,
                                   size_t K) {
  return {All.begin() + ptrdiff_t(I * K), All.begin() + ptrdiff_t((I + 1) * K)};
}

/// What runs where every block is folded.
static void addOutside(const ProfileView &V, std::vector<ProfileRow> &Rows,
                       bool WithSelf = false) {
  ProfileRow R;
  R.Cost.resize(V.metrics().size());
  R.Name = AllFolded;
  const ContextTree &Tree = V.profile().tree();
  for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N)
    if (Tree.isRoot(N))
      for (size_t M = 0; M < R.Cost.size(); ++M)
        R.Cost[M] += V.profile().ofNode(N)[M];
  if (isFree(R))
    return;
  if (WithSelf)
    R.Self = R.Cost;
  Rows.push_back(std::move(R));
}

static Error list(Session &S, const ParsedOptions &O, StringRef What,
                  StringRef Noun,
                  function_ref<std::vector<ProfileRow>(ProfileView &)> Rows) {
  if (Error E = checkGoto(S, O))
    return E;
  auto V = ProfileView::open(S, O);
  if (!V)
    return V.takeError();
  if (Error E = (*V)->sweepAndCheck(O.has("goto")))
    return E;
  std::vector<ProfileRow> All = Rows(**V);
  erase_if(All, isFree);
  if (Error E = sortRows(**V, O, All))
    return E;
  return listRows(S, O, **V, std::move(All), What,
                  Noun.empty() ? (*V)->blockNoun() : Noun);
}

static std::vector<ProfileRow> selfRows(ProfileView &V) {
  std::vector<ProfileRow> Rows;
  std::vector<uint64_t> Self = V.profile().selfOfBlocks();
  size_t K = V.metrics().size();
  for (ProfileBlockId B = 0; B < V.profile().numBlocks(); ++B)
    if (V.profile().ofBlock(B).Count)
      Rows.push_back(blockRow(V, B, slice(Self, B, K)));
  addOutside(V, Rows);
  return Rows;
}

static std::vector<ProfileRow> dominatedRows(ProfileView &V) {
  std::vector<ProfileRow> Rows;
  std::vector<uint64_t> Self = V.profile().selfOfBlocks();
  size_t K = V.metrics().size();
  for (ProfileBlockId B = 0; B < V.profile().numBlocks(); ++B)
    if (V.profile().ofBlock(B).Count) {
      Rows.push_back(blockRow(V, B, V.profile().dominated(B)));
      Rows.back().Self = slice(Self, B, K);
    }
  addOutside(V, Rows, /*WithSelf=*/true);
  return Rows;
}

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

static Error self(Session &S, const ParsedOptions &O) {
  return list(S, O, "self", "", selfRows);
}
static Error dominated(Session &S, const ParsedOptions &O) {
  return list(S, O, "dominated", "", dominatedRows);
}
static Error sequences(Session &S, const ParsedOptions &O) {
  return list(S, O, "self", "sequence", sequenceRows);
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
};

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
};

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
};

} // namespace rw
