//===- ProfileGoto.cpp - From a line of a profile to a place in time ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileRows.h"
#include "commands/support/PlaceReport.h"
#include "core/store/TraceStore.h"

using namespace llvm;

namespace rw {

namespace {

/// Whether an activation is one of a line's; nodes of another sweep have other
/// numbers.
class Membership {
public:
  Membership(const ProfileView &V, const ProfileRow &R) : R(R) {
    const ContextTree &Tree = V.profile().tree();
    if (R.About == ProfileRow::Edge)
      Edge = Tree.edges()[R.Id];
    if (R.About == ProfileRow::Node)
      Path = Tree.path(R.Id);
  }
  bool has(const ContextTree &Tree, ContextTree::NodeId N,
           ContextTree::EdgeId E) {
    switch (R.About) {
    case ProfileRow::Block:
      return Tree.nodes()[N].Block == R.Id;
    case ProfileRow::Edge:
      return Tree.edges()[E].From == Edge.From && Tree.edges()[E].To == Edge.To;
    case ProfileRow::Node: {
      auto [It, New] = Known.try_emplace(N, false);
      if (New)
        It->second = Tree.path(N) == Path;
      return It->second;
    }
    case ProfileRow::Outside:
      return false;
    }
    return false;
  }

private:
  const ProfileRow &R;
  ContextTree::Edge Edge;
  std::vector<ProfileBlockId> Path;
  DenseMap<ContextTree::NodeId, bool> Known;
};

} // namespace

Error checkGoto(const Session &S, const ParsedOptions &O, bool Summary) {
  auto Which = O.value("goto");
  if (!Which) {
    if (O.has("row"))
      return usageError("--row says which line --goto is about");
    return Error::success();
  }
  if (Summary && *Which != "longest" && *Which != "first")
    return usageError("--goto wants longest or first, not '" + *Which + "'");
  auto K = parseNumber(*Which);
  if (*Which != "longest" && *Which != "first" && *Which != "next" &&
      *Which != "prev" && !(K && *K))
    return usageError("--goto wants longest, first, next, prev or a number "
                      "from 1, not '" +
                      *Which + "'");
  auto Row = O.number("row");
  if (!Row)
    return Row.takeError();
  if (*Row && !**Row)
    return usageError("--row counts lines from 1");
  return S.checkMovable();
}

/// What --goto goes to activations of: of an edge, its own, and not those of
/// the neighbour that its line names.
static std::string askedFor(const ProfileView &V, const ProfileRow &R) {
  if (R.About != ProfileRow::Edge)
    return R.Name;
  const ContextTree::Edge &E = V.profile().tree().edges()[R.Id];
  std::string Name = blockName(V, E.To);
  if (E.From != NoProfileBlock)
    Name += ", called by " + blockName(V, E.From);
  return Name;
}

static Expected<Place> placeOf(const Session &S, ActivationSummary::Place P) {
  auto M = S.Store.momentOf(P.Thread, P.Start);
  if (!M)
    return M.takeError();
  return Place{P.Thread, *M};
}

/// The one that was asked for by its place among all of them.
static Expected<Place> search(Session &S, ProfileView &V, const ProfileRow &R,
                              StringRef Which, StringRef Name) {
  Membership Of(V, R);
  std::optional<Place> Found;
  Error Failure = Error::success();
  uint64_t Left = parseNumber(Which).value_or(0);
  Error E = V.forEachActivation(
      [&](const ContextProfile &P, ContextTree::NodeId N, ContextTree::EdgeId E,
          ActivationSummary::Place A) {
        if (!Of.has(P.tree(), N, E) || Failure)
          return;
        auto At = placeOf(S, A);
        if (!At) {
          Failure = joinErrors(std::move(Failure), At.takeError());
          return;
        }
        if (Which == "next") {
          if (At->When > S.Here.When && (!Found || At->When < Found->When))
            Found = *At;
        } else if (Which == "prev") {
          if (At->When < S.Here.When && (!Found || At->When > Found->When))
            Found = *At;
        } else if (Left && --Left == 0) {
          Found = *At;
        }
      });
  if (E || Failure)
    return joinErrors(std::move(E), std::move(Failure));
  if (Found)
    return *Found;
  if (Which == "next" || Which == "prev")
    return userError("no activation of " + Name + " begins " +
                     (Which == "next" ? "after" : "before") + " here");
  return userError(
      (R.Activations.Count == 1 ? "there is only " : "there are only ") +
      Twine(R.Activations.Count) +
      (R.Activations.Count == 1 ? " activation of " : " activations of ") +
      Name);
}

Expected<size_t> gotoRow(const ParsedOptions &O, size_t Lines) {
  auto Number = O.number("row");
  if (!Number)
    return Number.takeError();
  const uint64_t Line = Number->value_or(1);
  if (Line > Lines)
    return userError(!Lines ? "there is no line to go to"
                            : "there is no line " + Twine(Line) +
                                  ", but 1 to " + Twine(Lines));
  return size_t(Line - 1);
}

Error gotoActivation(Session &S, const ParsedOptions &O, ProfileView &V,
                     ArrayRef<ProfileRow> Rows) {
  auto Line = gotoRow(O, Rows.size());
  if (!Line)
    return Line.takeError();
  const ProfileRow &R = Rows[*Line];
  const std::string Name = askedFor(V, R);
  if (!R.Activations.Count)
    return userError("no activation of " + Name + " is told of");
  StringRef Which = *O.value("goto");
  auto To = Which == "longest" ? placeOf(S, R.Activations.Longest)
            : Which == "first" ? placeOf(S, R.Activations.First)
                               : search(S, V, R, Which, Name);
  if (!To)
    return To.takeError();
  bool IsNumber = parseNumber(Which).has_value();
  return moveAndTell(
      S, O, *To,
      (IsNumber ? "activation " + Which : Which + " activation").str() +
          " of " + Name);
}

} // namespace rw
