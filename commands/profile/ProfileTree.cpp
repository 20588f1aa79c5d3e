//===- ProfileTree.cpp - rewind profile tree ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileRows.h"

using namespace llvm;

namespace rw {

namespace {

/// Rows for the nodes of the tree, callers before callees, the most expensive
/// callee first.
class TreeRows {
public:
  explicit TreeRows(const ProfileView &V)
      : V(V), Tree(V.profile().tree()), K(V.metrics().size()),
        Inclusive(V.profile().inclusiveOfNodes()), Callees(Tree.nodes().size()),
        Shown(Tree.nodes().size()) {
    for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N)
      if (!Tree.isRoot(N))
        Callees[Tree.nodes()[N].Parent].push_back(N);
    for (auto &List : Callees)
      stable_sort(List, [&](auto A, auto B) { return cost(A) > cost(B); });
  }

  /// Shows the \p Most most expensive ones that are no deeper than \p Depth. A
  /// caller is never cheaper than a callee. Returns how many there are, deeper
  /// ones included.
  size_t choose(uint64_t Most, uint64_t Depth) {
    struct Candidate {
      ContextTree::NodeId Node;
      uint64_t Depth;
    };
    std::vector<Candidate> All;
    size_t Count = 0;
    std::vector<uint64_t> DepthOf(Tree.nodes().size());
    for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N) {
      bool IsRoot = Tree.isRoot(N);
      DepthOf[N] = IsRoot ? 0 : DepthOf[Tree.nodes()[N].Parent] + 1;
      // A root is a line of its own only where all blocks are folded.
      if (none_of(IsRoot ? V.profile().ofNode(N) : cost(N),
                  [](uint64_t C) { return C != 0; }))
        continue;
      ++Count;
      if (DepthOf[N] <= Depth)
        All.push_back({N, DepthOf[N]});
    }
    stable_sort(All, [&](const Candidate &A, const Candidate &B) {
      return cost(A.Node) != cost(B.Node) ? cost(A.Node) > cost(B.Node)
                                          : A.Depth < B.Depth;
    });
    for (size_t I = 0; I < All.size() && I < Most; ++I)
      Shown[All[I].Node] = true;
    return Count;
  }

  std::vector<ProfileRow> rows() const {
    struct Item {
      ContextTree::NodeId Node;
      unsigned Depth;
    };
    std::vector<ProfileRow> Rows;
    std::vector<Item> Work;
    for (ContextTree::NodeId N = Tree.nodes().size(); N-- > 0;)
      if (Tree.isRoot(N))
        Work.push_back({N, 0});
    while (!Work.empty()) {
      Item I = Work.back();
      Work.pop_back();
      if (Shown[I.Node])
        Rows.push_back(row(I.Node, I.Depth));
      for (ContextTree::NodeId C : reverse(Callees[I.Node]))
        if (Shown[C])
          Work.push_back({C, I.Depth + !Tree.isRoot(I.Node)});
    }
    return Rows;
  }

private:
  ArrayRef<uint64_t> cost(ContextTree::NodeId N) const {
    return ArrayRef(Inclusive).slice(size_t(N) * K, K);
  }
  ProfileRow row(ContextTree::NodeId N, unsigned Depth) const {
    ProfileRow R;
    R.Depth = Depth;
    R.Self = V.profile().ofNode(N).vec();
    if (Tree.isRoot(N)) {
      R.Cost = R.Self;
      R.Name = AllFolded;
      return R;
    }
    R.About = ProfileRow::Node;
    R.Id = N;
    R.Of = Tree.nodes()[N].Block;
    R.Cost = cost(N).vec();
    R.Activations = V.profile().atNode(N);
    R.Name = blockName(V, R.Of);
    return R;
  }

  const ProfileView &V;
  const ContextTree &Tree;
  const size_t K;
  const std::vector<uint64_t> Inclusive;
  std::vector<std::vector<ContextTree::NodeId>> Callees;
  std::vector<bool> Shown;
};

} // namespace

static Error runProfileTree(Session &S, const ParsedOptions &O) {
  if (Error E = checkGoto(S, O))
    return E;
  auto Limit = listLimit(S, O);
  auto Depth = O.number("depth");
  if (!Limit || !Depth)
    return joinErrors(Limit.takeError(), Depth.takeError());
  auto V = ProfileView::open(S, O);
  if (!V)
    return V.takeError();
  if (Error E = (*V)->sweepAndCheck(O.has("goto")))
    return E;
  TreeRows Tree(**V);
  size_t All = Tree.choose(*Limit, Depth->value_or(~uint64_t(0)));
  std::vector<ProfileRow> Rows = Tree.rows();
  if (O.has("goto"))
    return gotoActivation(S, O, **V, Rows);
  if (O.has("json")) {
    json::Array Items;
    for (const ProfileRow &R : Rows) {
      json::Object Item = rowJson(**V, R, "inclusive");
      Item["depth"] = R.Depth;
      Items.push_back(std::move(Item));
    }
    printJson(S.Out, profileJson(S, **V, std::move(Items), Rows.size() == All));
    return Error::success();
  }
  S.FoundNothing |= Rows.empty();
  printRows(S, **V, Rows, "");
  printEnding(S, **V, Rows.size(), All, "context", "--count, --depth");
  return Error::success();
}

static constexpr OptionSpec ProfileTreeOptions[] = {
    opt::Json,
    {"count", 'c', "n", "at most n contexts, the most expensive ones"},
    {"depth", 'd', "n", "only so many levels"},
    opt::MetricOption,
    REWIND_PROFILE_OPTIONS,
    opt::ProfileGoto,
    opt::Row,
};

extern const Command ProfileTreeCommand = {
    .Name = "profile tree",
    .Summary = "Show costs by who really called whom",
    .Help = R"(
A line for each function (line, block) that was called along the same way, with
callees and by itself. On no way is a call twice: where it comes again, below
itself, it goes on at the line that it has already. So the tree is as large as
the code makes it, however long the trace is; 'profile dominated' and 'profile
block' tell exact sums all the same.

  rewind profile tree -c 12
  rewind profile tree --select find --metric calls
  (lldb) rewind profile tree --row 4 --goto 2
)",
    .Options = ProfileTreeOptions,
    .MaxArguments = 0,
    .Run = runProfileTree,
    .OnlyAsks = true,
};

} // namespace rw
