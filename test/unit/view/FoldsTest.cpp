//===- FoldsTest.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Folds against one flag for each activation, rows against one flag for each
// instruction.
//
//===----------------------------------------------------------------------===//

#include "RandomCalls.h"
#include "core/view/TraceRows.h"

using namespace rw;
using namespace rw::viewtest;

namespace {

TEST(Folds, AreTheirFlags) {
  for (uint64_t Seed = 0; Seed < 40; ++Seed) {
    Rng R(Seed);
    const unsigned N = 60;
    std::vector<bool> Flags(N + 1);
    Folds F;
    for (unsigned Step = 0; Step < 60; ++Step) {
      uint64_t From = R.below(N), To = From + R.below(N + 1 - From);
      bool Folded = R.chance(0.5), Open = R.chance(0.1);
      F.set(From, Open ? ~uint64_t(0) : To, Folded);
      for (uint64_t I = From; I < (Open ? N + 1 : To); ++I)
        Flags[I] = Folded;
      for (uint64_t I = 0; I <= N; ++I)
        ASSERT_EQ(F.isFolded(I), Flags[I]) << Seed << " " << Step << " " << I;
      ASSERT_EQ(F.isFolded(1000000), Flags[N]);
      // What is said of it is all there is, and the shortest.
      Folds Back = value(Folds::parse(F.text()));
      ASSERT_EQ(Back, F) << F.text() << " / " << Back.text();
      ASSERT_EQ(Back.text(), F.text());
    }
  }
}

TEST(Folds, SayWhatIsWrongWithTheirText) {
  auto Wrong = [](llvm::StringRef Text) {
    auto F = Folds::parse(Text, 3);
    return F ? "taken" : llvm::toString(F.takeError());
  };
  EXPECT_EQ(Wrong("3-x"), "folds: a number was expected in '3-x'");
  EXPECT_EQ(Wrong("x"), "folds: a number was expected in 'x'");
  EXPECT_EQ(Wrong("1,,2"), "folds: a number was expected in ''");
  EXPECT_EQ(Wrong("5-3"), "folds: '5-3' is no range");
  EXPECT_EQ(Wrong("18446744073709551615"),
            "folds: '18446744073709551615' is no range");
  EXPECT_EQ(Wrong("1,2,3,4"), "more than 3 runs of folded calls");
}

bool canFold(const Activation &A) { return A.Start && A.returned(); }

/// One flag for each instruction: whether it is hidden.
std::vector<bool> hidden(const RandomCalls &C, const Folds &F) {
  std::vector<bool> Hidden(C.Length);
  for (const Activation &A : C.List)
    if (canFold(A) && F.isFolded(A.Number))
      for (Position P = A.Start; P < A.End; ++P)
        Hidden[P] = true;
  return Hidden;
}

void compareRows(const RandomCalls &C, const Folds &F, Rng &R) {
  std::vector<bool> Hidden = hidden(C, F);
  ASSERT_FALSE(Hidden[0]);
  TraceRows Rows(C.Index.get(), F, 0, C.Length);
  std::vector<Position> Visible;
  for (Position P = 0; P < C.Length; ++P)
    if (!Hidden[P])
      Visible.push_back(P);
  for (unsigned N = 0; N < 40; ++N) {
    Position P = R.below(C.Length + 1);
    size_t From =
        std::lower_bound(Visible.begin(), Visible.end(), P) - Visible.begin();
    Position Next = From < Visible.size() ? Visible[From] : C.Length;
    ASSERT_EQ(value(Rows.rowFrom(P)), Next);
    auto Before = value(Rows.rowBefore(P));
    ASSERT_EQ(Before.has_value(), From > 0);
    if (From) {
      ASSERT_EQ(*Before, Visible[From - 1]);
    }
    ASSERT_EQ(value(Rows.isHidden(P)), P < C.Length && Hidden[P]);
    ASSERT_EQ(value(Rows.rowOf(P)), P == C.Length ? P
                                    : Hidden[P]   ? Visible[From - 1]
                                                  : P);
    size_t Back = R.below(30), Ahead = R.below(30);
    std::vector<TraceRow> Seen = value(Rows.around(P, Back, Ahead));
    size_t First = From - std::min(From, Back);
    size_t Last = std::min(From + Ahead, Visible.size());
    ASSERT_EQ(Seen.size(), Last - First);
    for (size_t I = 0; I < Seen.size(); ++I) {
      const TraceRow &Row = Seen[I];
      ASSERT_EQ(Row.At, Visible[First + I]);
      ASSERT_EQ(Row.Next, First + I + 1 < Visible.size()
                              ? Visible[First + I + 1]
                              : C.Length);
      uint32_t Depth = 0;
      std::optional<uint64_t> Opens;
      const Activation *First = nullptr;
      for (const Activation &A : C.List) {
        if (A.contains(Row.At))
          Depth = A.Depth;
        if (A.Start == Row.At + 1 && !First)
          First = &A;
      }
      if (First && !Hidden[First->Start] && canFold(*First))
        Opens = First->Number;
      ASSERT_EQ(Row.Depth, Depth);
      ASSERT_EQ(Row.Opens, Opens) << Row.At;
    }
  }
}

/// What the key does, in the words of the help: to the flags of the
/// activations.
Folds doneNaively(const RandomCalls &C, const Folds &F, Position P,
                  FoldAction Action) {
  std::vector<bool> Hidden = hidden(C, F);
  Folds To = F;
  auto Set = [&](const Activation &A, bool Folded) {
    To.set(A.Number, A.Number + 1, Folded);
  };
  auto Inside = [](const Activation &A, const Activation &Outer) {
    return A.Number > Outer.Number && A.Start < Outer.End;
  };
  // What returned, or the thread.
  auto Innermost = [&](Position P) {
    const Activation *Found = &C.List.front();
    for (const Activation &A : C.List)
      if (A.contains(P) && canFold(A))
        Found = &A;
    return *Found;
  };
  Position Row = P;
  while (Row > 0 && Hidden[Row])
    --Row;
  Position Next = Row + 1;
  while (Next < C.Length && Hidden[Next])
    ++Next;
  switch (Action) {
  case FoldAction::All:
    To.set(1, ~uint64_t(0), true);
    break;
  case FoldAction::UnfoldAll:
    To = Folds();
    break;
  case FoldAction::Containing:
    if (Activation A = Innermost(Row); A.Start)
      Set(A, true);
    break;
  case FoldAction::Callees:
  case FoldAction::UnfoldInside:
    for (const Activation &A : C.List)
      if (Inside(A, Innermost(P)))
        Set(A, Action == FoldAction::Callees);
    break;
  case FoldAction::Unfold:
  case FoldAction::UnfoldWhole:
    for (const Activation &A : C.List) {
      if (!canFold(A) || !F.isFolded(A.Number))
        continue;
      bool Outermost = true;
      for (const Activation &B : C.List)
        if (canFold(B) && F.isFolded(B.Number) && Inside(A, B))
          Outermost = false;
      // Behind the row; from a hidden instruction, what hides it.
      bool Meant = Hidden[P] ? A.contains(P) : Row < A.Start && A.Start < Next;
      if (!Outermost || !Meant)
        continue;
      Set(A, false);
      if (Action == FoldAction::UnfoldWhole)
        for (const Activation &B : C.List)
          if (Inside(B, A))
            Set(B, false);
    }
    break;
  }
  return To;
}

class RandomFolds : public testing::TestWithParam<uint64_t> {};

TEST_P(RandomFolds, HideWhatTheySay) {
  Rng R(GetParam());
  RandomCalls C(GetParam(), 50 + R.below(1500), 1 + unsigned(R.below(12)));
  Folds F;
  compareRows(C, F, R);
  for (unsigned Step = 0; Step < 40; ++Step) {
    Position P = R.below(C.Length);
    auto Action = FoldAction(R.below(7));
    if ((Action == FoldAction::All || Action == FoldAction::UnfoldAll) &&
        R.chance(0.5))
      continue;
    Folds To = F;
    Position Moved =
        value(TraceRows(C.Index.get(), F, 0, C.Length).fold(To, P, Action));
    Folds Want = doneNaively(C, F, P, Action);
    for (const Activation &A : C.List)
      if (A.Number) { // Nothing folds the thread.
        ASSERT_EQ(To.isFolded(A.Number), Want.isFolded(A.Number))
            << "activation " << A.Number << ", action " << int(Action) << " at "
            << P;
      }
    F = To;
    std::vector<bool> Hidden = hidden(C, F);
    // One goes on where one was, or where it has vanished.
    Position Stays = P;
    if (Action != FoldAction::Unfold && Action != FoldAction::UnfoldWhole)
      while (Hidden[Stays])
        --Stays;
    ASSERT_EQ(Moved, Stays);
    compareRows(C, F, R);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFolds, testing::Range<uint64_t>(1, 31));

TEST(TraceRows, WithoutCallsThereIsNothingToFold) {
  Folds F;
  F.set(0, ~uint64_t(0), true);
  TraceRows Rows(nullptr, F, 0, 5);
  EXPECT_EQ(value(Rows.around(2, 9, 9)).size(), 5u);
  EXPECT_EQ(value(Rows.fold(F, 3, FoldAction::Containing)), 3u);
}

} // namespace
