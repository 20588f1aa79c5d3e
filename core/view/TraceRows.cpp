//===- TraceRows.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/view/TraceRows.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace rw {

// As in the Tarmac Trace Utilities, a call is what came back: what never does
// (the start of the program, a branch with link that only reads the pc) would
// hide the rest of the trace.
static bool canFold(const Activation &A) { return A.Start > 0 && A.returned(); }

Expected<std::optional<Activation>> TraceRows::foldAt(Position P) const {
  if (!Calls || Hidden.empty() || P >= Size)
    return std::nullopt;
  auto Stack = Calls->stack(T, P);
  if (!Stack)
    return Stack.takeError();
  for (const Activation &A : reverse(*Stack))
    if (canFold(A) && Hidden.isFolded(A.Number))
      return A;
  return std::nullopt;
}

Expected<std::optional<Activation>> TraceRows::foldableAt(Position P) const {
  if (!Calls || P >= Size)
    return std::nullopt;
  auto Stack = Calls->stack(T, P);
  if (!Stack)
    return Stack.takeError();
  for (const Activation &A : *Stack)
    if (canFold(A))
      return A;
  return std::nullopt;
}

Expected<bool> TraceRows::isHidden(Position P) const {
  auto A = foldAt(P);
  if (!A)
    return A.takeError();
  return A->has_value();
}

Expected<Position> TraceRows::rowFrom(Position P) const {
  while (P < Size) {
    auto A = foldAt(P);
    if (!A)
      return A.takeError();
    if (!*A)
      return P;
    P = (*A)->End;
  }
  return Size;
}

Expected<std::optional<Position>> TraceRows::rowBefore(Position P) const {
  P = std::min(P, Size);
  while (P > 0) {
    auto A = foldAt(P - 1);
    if (!A)
      return A.takeError();
    if (!*A)
      return P - 1;
    P = (*A)->Start;
  }
  return std::nullopt;
}

Expected<Position> TraceRows::rowOf(Position P) const {
  if (P >= Size)
    return Size;
  auto A = foldAt(P);
  if (!A)
    return A.takeError();
  if (!*A)
    return P;
  auto Before = rowBefore((*A)->Start);
  if (!Before)
    return Before.takeError();
  // What can be folded begins after the thread's first instruction, which no
  // fold hides.
  return Before->value_or(0);
}

Expected<TraceRow> TraceRows::row(Position P) const {
  TraceRow R;
  R.At = P;
  auto Next = rowFrom(P + 1);
  if (!Next)
    return Next.takeError();
  R.Next = *Next;
  if (!Calls)
    return R;
  auto Here = Calls->enclosing(T, P);
  if (!Here)
    return Here.takeError();
  if (*Here)
    R.Depth = (*Here)->Depth;
  if (R.Next != P + 1 || R.Next >= Size)
    return R;
  auto Number = Calls->firstFrom(T, P + 1);
  if (!Number)
    return Number.takeError();
  if (*Number >= Calls->size(T))
    return R;
  auto A = Calls->activation(T, *Number);
  if (!A)
    return A.takeError();
  if (A->Start == P + 1 && canFold(*A))
    R.Opens = A->Number;
  return R;
}

Expected<std::vector<TraceRow>> TraceRows::around(Position P, uint64_t Before,
                                                  uint64_t After) const {
  std::vector<Position> Places;
  for (Position At = P; Places.size() < Before;) {
    auto Row = rowBefore(At);
    if (!Row)
      return Row.takeError();
    if (!*Row)
      break;
    At = **Row;
    Places.push_back(At);
  }
  std::vector<TraceRow> Rows;
  for (Position At : reverse(Places)) {
    auto R = row(At);
    if (!R)
      return R.takeError();
    Rows.push_back(*R);
  }
  auto At = rowFrom(P);
  if (!At)
    return At.takeError();
  for (uint64_t N = 0; N < After && *At < Size; ++N) {
    auto R = row(*At);
    if (!R)
      return R.takeError();
    Rows.push_back(*R);
    *At = R->Next;
  }
  return Rows;
}

Expected<Position> TraceRows::fold(Folds &To, Position P,
                                   FoldAction Action) const {
  if (!Calls)
    return P;
  auto Moved = [&]() -> Expected<Position> {
    return TraceRows(Calls, To, T, Size).rowOf(P);
  };
  switch (Action) {
  case FoldAction::All:
    To.set(1, ~uint64_t(0), true);
    return Moved();
  case FoldAction::UnfoldAll:
    To.set(0, ~uint64_t(0), false);
    return P;
  case FoldAction::Unfold:
  case FoldAction::UnfoldWhole: {
    auto Hides = foldAt(P);
    if (!Hides)
      return Hides.takeError();
    Position From = P, End = P;
    if (!*Hides) {
      auto R = row(P);
      if (!R)
        return R.takeError();
      From = P + 1;
      End = R->Next;
    } else {
      From = (*Hides)->Start;
      End = (*Hides)->End;
    }
    while (From < End) {
      auto A = foldAt(From);
      if (!A)
        return A.takeError();
      if (!*A)
        break;
      auto Last = endOfSubtree(*Calls, **A);
      if (!Last)
        return Last.takeError();
      To.set((*A)->Number,
             Action == FoldAction::Unfold ? (*A)->Number + 1 : *Last, false);
      From = (*A)->End;
    }
    return P;
  }
  case FoldAction::Containing: {
    // From a hidden position, the call around what hides it.
    auto Row = rowOf(P);
    if (!Row)
      return Row.takeError();
    auto A = foldableAt(*Row);
    if (!A)
      return A.takeError();
    if (*A)
      To.set((*A)->Number, (*A)->Number + 1, true);
    return Moved();
  }
  case FoldAction::Callees:
  case FoldAction::UnfoldInside: {
    auto Stack = Calls->stack(T, std::min(P, Size ? Size - 1 : 0));
    if (!Stack)
      return Stack.takeError();
    if (Stack->empty())
      return P;
    // The call that the position is in, or the whole thread.
    auto A = find_if(*Stack, canFold);
    if (A == Stack->end())
      --A;
    auto Last = endOfSubtree(*Calls, *A);
    if (!Last)
      return Last.takeError();
    To.set(A->Number + 1, *Last, Action == FoldAction::Callees);
    return Moved();
  }
  }
  return P;
}

} // namespace rw
