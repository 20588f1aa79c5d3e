//===- FoldedTree.cpp - A call tree with repetitions folded ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/FoldedTree.h"
#include "llvm/ADT/Hashing.h"

namespace rw {

uint32_t FoldedTree::append(uint32_t Parent) {
  uint32_t Line = uint32_t(Lines.size());
  Lines.emplace_back();
  FoldedCall &P = Lines[Parent];
  if (P.LastChild)
    Lines[P.LastChild].Next = Line;
  else
    P.FirstChild = Line;
  P.LastChild = Line;
  return Line;
}

llvm::Error FoldedTree::enter(const CallNode &N) {
  OpenCall O;
  uint32_t Parent = 0;
  for (size_t I = Open.size(); I-- > 0;)
    if (Open[I].Line) {
      Parent = Open[I].Line;
      O.Depth = Open[I].Depth + 1;
      break;
    }
  FunctionKey F = functionOf(Names, N);
  O.Below = (!Open.empty() && Open.back().Below) || !Wanted ||
            Wanted(functionLabel(Names, F));
  if (O.Below && O.Depth <= MaxDepth && (O.Depth == 0 || Open.back().Line)) {
    if (Lines.size() > ~uint32_t(0) / 2)
      return llvm::createStringError(
          "the tree has too many lines; narrow it down with --depth, --from, "
          "--to or --fold");
    if (Fold == Folding::ByFunction)
      for (uint32_t C = Lines[Parent].FirstChild; C; C = Lines[C].Next)
        if (Lines[C].Function == F && Lines[C].TailCall == N.TailCall) {
          O.Line = C;
          ++Lines[C].Count;
        }
    if (!O.Line) {
      O.Previous = Lines[Parent].LastChild;
      O.Line = append(Parent);
      Lines[O.Line].Call = N.Call;
      Lines[O.Line].Function = F;
      Lines[O.Line].TailCall = N.TailCall;
    }
  }
  Open.push_back(O);
  return llvm::Error::success();
}

llvm::Error FoldedTree::leave(const CallNode &N, const CallNode *) {
  OpenCall O = Open.back();
  Open.pop_back();
  if (!O.Line)
    return llvm::Error::success();
  FoldedCall &L = Lines[O.Line];
  L.Instructions += N.Call.inclusive();
  L.Own += N.own();
  L.LastEnd = N.Call.End;
  if (Fold != Folding::Repeats)
    return llvm::Error::success();
  llvm::hash_code H = llvm::hash_combine(L.Function.Start, L.Function.Exception,
                                         L.TailCall, L.Call.Flags);
  for (uint32_t C = L.FirstChild; C; C = Lines[C].Next)
    H = llvm::hash_combine(H, Lines[C].Hash, Lines[C].Count);
  L.Hash = size_t(H);
  if (!O.Previous || !sameShape(O.Previous, O.Line))
    return llvm::Error::success();
  // All that came after it in Lines is its own subtree.
  uint32_t Parent = 0;
  for (size_t I = Open.size(); I-- > 0 && !Parent;)
    Parent = Open[I].Line;
  merge(O.Previous, O.Line);
  Lines[O.Previous].Next = 0;
  Lines[Parent].LastChild = O.Previous;
  Lines.resize(O.Line);
  return llvm::Error::success();
}

/// Compares hashes first, then node by node, since hashes can collide.
bool FoldedTree::sameShape(uint32_t A, uint32_t B) const {
  std::vector<std::pair<uint32_t, uint32_t>> Work{{A, B}};
  bool Top = true;
  while (!Work.empty()) {
    auto [X, Y] = Work.back();
    Work.pop_back();
    const FoldedCall &P = Lines[X], &Q = Lines[Y];
    if (P.Hash != Q.Hash || !(P.Function == Q.Function) ||
        P.TailCall != Q.TailCall || P.Call.Flags != Q.Call.Flags ||
        // Counts below a folded line are sums.
        (!Top && P.Count * Lines[B].Count != Q.Count * Lines[A].Count))
      return false;
    Top = false;
    uint32_t C = P.FirstChild, D = Q.FirstChild;
    for (; C && D; C = Lines[C].Next, D = Lines[D].Next)
      Work.push_back({C, D});
    if (C || D)
      return false;
  }
  return true;
}

void FoldedTree::merge(uint32_t Into, uint32_t From) {
  std::vector<std::pair<uint32_t, uint32_t>> Work{{Into, From}};
  while (!Work.empty()) {
    auto [X, Y] = Work.back();
    Work.pop_back();
    FoldedCall &P = Lines[X];
    const FoldedCall &Q = Lines[Y];
    P.Count += Q.Count;
    P.Instructions += Q.Instructions;
    P.Own += Q.Own;
    P.LastEnd = Q.LastEnd;
    for (uint32_t C = P.FirstChild, D = Q.FirstChild; C && D;
         C = Lines[C].Next, D = Lines[D].Next)
      Work.push_back({C, D});
  }
}

} // namespace rw
