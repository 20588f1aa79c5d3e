//===- ProfileBlock.cpp - rewind profile block ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileRows.h"

using namespace llvm;

namespace rw {

/// The edges into or out of a block.
static std::vector<ProfileRow> edgeRows(const ProfileView &V, ProfileBlockId B,
                                        bool In) {
  std::vector<ProfileRow> Rows;
  const auto &Edges = V.profile().tree().edges();
  for (ContextTree::EdgeId E = 0; E < Edges.size(); ++E) {
    if ((In ? Edges[E].To : Edges[E].From) != B || !V.profile().ofEdge(E).Count)
      continue;
    ProfileRow R;
    R.About = ProfileRow::Edge;
    R.Id = E;
    R.Of = In ? Edges[E].From : Edges[E].To;
    R.Cost = V.profile().over(E).vec();
    R.Activations = V.profile().ofEdge(E);
    R.Name = blockName(V, R.Of);
    Rows.push_back(std::move(R));
  }
  return Rows;
}

static void printNeighbours(Session &S, const ProfileView &V,
                            ArrayRef<ProfileRow> Rows) {
  if (Rows.empty())
    S.Out << "nothing\n";
  printRows(S, V, Rows, "");
}

/// Interrupted before it ran: nothing is known of it.
static Error notYet(Session &S, const ParsedOptions &O, const ProfileView &V,
                    Error Why) {
  consumeError(std::move(Why));
  if (!O.has("json")) {
    printEnding(S, V, 0, 0, "neighbour");
    return Error::success();
  }
  json::Object J = profileJson(S, V, {}, false);
  J["block"] = nullptr;
  printJson(S.Out, std::move(J));
  return Error::success();
}

static Error runProfileBlock(Session &S, const ParsedOptions &O) {
  if (Error E = checkGoto(S, O))
    return E;
  auto Limit = listLimit(S, O);
  if (!Limit)
    return Limit.takeError();
  auto Opened = ProfileView::open(S, O);
  if (!Opened)
    return Opened.takeError();
  ProfileView &V = **Opened;
  if (Error E = V.sweepAndCheck(O.has("goto")))
    return E;
  auto B = V.find(O.text());
  if (!B && V.interrupted())
    return notYet(S, O, V, B.takeError());
  if (!B)
    return B.takeError();
  ProfileRow Block = blockRow(V, *B, V.profile().dominated(*B));
  std::vector<uint64_t> Self = V.profile().selfOfBlocks();
  size_t K = V.metrics().size();
  Block.Self.assign(Self.begin() + ptrdiff_t(*B * K),
                    Self.begin() + ptrdiff_t((*B + 1) * K));
  std::vector<ProfileRow> In = edgeRows(V, *B, true);
  std::vector<ProfileRow> Out = edgeRows(V, *B, false);
  if (Error E = sortRows(V, O, In))
    return E;
  if (Error E = sortRows(V, O, Out))
    return E;
  if (O.has("goto")) {
    if (!O.has("row"))
      return gotoActivation(S, O, V, Block);
    std::vector<ProfileRow> Both = In;
    Both.insert(Both.end(), Out.begin(), Out.end());
    return gotoActivation(S, O, V, Both);
  }
  size_t All = In.size() + Out.size();
  for (auto *Rows : {&In, &Out})
    Rows->resize(size_t(std::min<uint64_t>(Rows->size(), *Limit)));
  size_t Listed = In.size() + Out.size();
  if (O.has("json")) {
    json::Array Items;
    for (auto [Direction, Rows] : {std::pair("in", &In), {"out", &Out}})
      for (const ProfileRow &R : *Rows) {
        json::Object Item = rowJson(V, R, "over");
        Item["going"] = Direction;
        Items.push_back(std::move(Item));
      }
    json::Object J = profileJson(S, V, std::move(Items), Listed == All);
    J["block"] = rowJson(V, Block, "dominated");
    printJson(S.Out, std::move(J));
    return Error::success();
  }
  printRows(S, V, Block, "dominated");
  S.Out << "\ngoing in, from:\n";
  printNeighbours(S, V, In);
  S.Out << "\ngoing out, to:\n";
  printNeighbours(S, V, Out);
  printEnding(S, V, Listed, All, "neighbour");
  return Error::success();
}

extern const Command ProfileBlockCommand = {
    .Name = "profile block",
    .Summary = "Show who calls a function, line or block, and what it calls",
    .Arguments = "<block>",
    .Help = R"(
What is spent while it is on the stack, and by itself. Then, for each of its
callers, what is spent while that one calls it (which would be saved if it did
not); and for all that it calls, the same. The sums are exact; they may overlap.
What a tail call runs is called by the one whose place it takes: by the caller of
the function that jumped. --count is of each of the two lists.

With --goto, --row counts the lines of both lists; without --row it is about the
block itself.

  rewind profile block find
  rewind profile block find --metric calls --json
  (lldb) rewind profile block find --goto longest
)",
    .Options = ProfileListOptions,
    .MinArguments = 1,
    .Run = runProfileBlock,
    .OnlyAsks = true,
};

} // namespace rw
