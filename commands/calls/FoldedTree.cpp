//===- FoldedTree.cpp - A call tree with repetitions folded ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/calls/FoldedTree.h"

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

/// What comes after the last call looks different.
void FoldedTree::OpenCall::settle() {
  if (!Last.Lines)
    return;
  Look.add(Last.Look.A);
  Look.add(Last.Look.B);
  Look.add(Last.Count);
  Settled += Last.Lines;
  Last = {};
}

llvm::Error FoldedTree::enter(const CallNode &N) {
  OpenCall O;
  if (!Open.empty())
    O.Above = Open.back().IsLine ? Open.size() : Open.back().Above;
  OpenCall &Parent = above(O);
  O.Depth = O.Above ? Parent.Depth + 1 : 0;
  FunctionKey F = functionOf(Names, N);
  O.Below = (!Open.empty() && Open.back().Below) || !Wanted ||
            Wanted(functionLabel(Names, F));
  O.IsLine =
      O.Below && O.Depth <= MaxDepth && (O.Depth == 0 || Open.back().IsLine);
  if (!O.IsLine) {
    Open.push_back(O);
    return llvm::Error::success();
  }
  if (Fold == Folding::ByFunction)
    for (uint32_t C = Lines[Parent.Line].FirstChild; C; C = Lines[C].Next)
      if (Lines[C].Function == F && Lines[C].TailCall == N.TailCall) {
        O.Line = C;
        ++Lines[C].Count;
      }
  O.Number = Parent.Number + Parent.size();
  O.KeptBefore = Parent.KeptBefore;
  const FinishedCall &Last = Parent.Last;
  if (Fold == Folding::Repeats && Last.Lines && Last.Function == F &&
      Last.TailCall == N.TailCall && O.KeptBefore < MostLines)
    O.KeptBefore += O.Number - Last.Number;
  if (!O.Line && O.Number < O.KeptBefore) {
    if (Lines.size() > ~uint32_t(0) / 2)
      return llvm::createStringError(
          "the tree has too many lines; narrow it down with --depth, --from, "
          "--to or --fold");
    O.Previous = Lines[Parent.Line].LastChild;
    O.Line = append(Parent.Line);
    Lines[O.Line].Call = N.Call;
    Lines[O.Line].Function = F;
    Lines[O.Line].TailCall = N.TailCall;
  }
  Open.push_back(O);
  return llvm::Error::success();
}

llvm::Error FoldedTree::leave(const CallNode &N, const CallNode *) {
  OpenCall O = Open.back();
  Open.pop_back();
  if (!O.IsLine)
    return llvm::Error::success();
  if (O.Line) {
    FoldedCall &L = Lines[O.Line];
    L.Instructions += N.Call.inclusive();
    L.Own += N.own();
    L.LastEnd = N.Call.End;
  }
  OpenCall &Parent = above(O);
  const FunctionKey F = functionOf(Names, N);
  O.settle();
  Shape Look;
  for (uint64_t V : {F.Start, uint64_t(F.Exception), uint64_t(N.TailCall),
                     uint64_t(N.Call.Flags), O.Look.A, O.Look.B})
    Look.add(V);
  FinishedCall &Last = Parent.Last;
  if (Fold != Folding::Repeats || !Last.Lines || !(Last.Look == Look)) {
    if (O.Line && O.KeptBefore != Parent.KeptBefore)
      cut(O, Parent);
    Parent.settle();
    Last = {O.size(), 1, O.Number, Look, F, N.TailCall, O.Line};
    return llvm::Error::success();
  }
  ++Last.Count;
  if (!O.Line)
    return llvm::Error::success();
  // All that came after it in Lines is its own subtree.
  merge(Last.Line, O.Line);
  Lines[O.Previous].Next = 0;
  Lines[Parent.Line].LastChild = O.Previous;
  Lines.resize(O.Line);
  return llvm::Error::success();
}

/// Lets go of lines that were only kept because the call, which is over, might
/// have looked like the one before. Lines are in order, without gaps.
void FoldedTree::cut(OpenCall &O, OpenCall &Parent) {
  if (O.Number >= Parent.KeptBefore) {
    Lines[O.Previous].Next = 0;
    Lines[Parent.Line].LastChild = O.Previous;
    Lines.resize(O.Line);
    O.Line = 0;
    return;
  }
  const uint64_t End = O.Line + (Parent.KeptBefore - O.Number);
  if (Lines.size() <= End)
    return;
  for (uint32_t X = O.Line; uint32_t C = Lines[X].FirstChild; X = C) {
    if (C >= End) {
      Lines[X].FirstChild = Lines[X].LastChild = 0;
      break;
    }
    while (Lines[C].Next && Lines[C].Next < End)
      C = Lines[C].Next;
    Lines[C].Next = 0;
    Lines[X].LastChild = C;
  }
  Lines.resize(End);
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
