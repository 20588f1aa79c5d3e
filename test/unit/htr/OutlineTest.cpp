//===- OutlineTest.cpp - The numbers of a page against a naive model ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Outline.h"
#include "HtrTestUtil.h"
#include "core/htr/HotSpots.h"
#include "core/htr/HtrCompare.h"
#include <functional>
#include <random>
#include <tuple>

using namespace llvm;
using namespace rw;
using namespace rw::htr;

namespace {

std::mt19937 Random(2024);

/// What rows must say, from walking through every execution of everything.
struct Naive {
  OutlineRow::Kind What = OutlineRow::Own;
  uint64_t Value = 0;
  Place At = ~uint64_t(0);
  uint64_t Times = 0, Instructions = 0, Nested = 0;
  Naive *In = nullptr;                              ///< the call around it
  std::vector<std::pair<uint64_t, uint64_t>> Trips; ///< of each stay
  std::vector<uint64_t> Rounds;                     ///< their instructions
  std::map<std::tuple<int, BlockId, uint64_t>, Naive> Inside;
};

class OutlineWalk {
public:
  OutlineWalk(const Hierarchy &H) : H(H), L(H.top()) {}

  Place unit(Naive &In, BlockId B, Place P, BlockId &Before) {
    const uint64_t Length = H.Dict.Length[B];
    auto row = [&](OutlineRow::Kind What, BlockId Site,
                   uint64_t Value) -> Naive & {
      Naive &R = In.Inside[{What, Site, Value}];
      R.What = What;
      R.Value = Value;
      R.In = In.What == OutlineRow::Call ? &In : In.In;
      R.At = std::min(R.At, P);
      ++R.Times;
      R.Instructions += Length;
      return R;
    };
    switch (H.Dict.Kind[B]) {
    case BlockKind::Break:
      row(OutlineRow::Gap, NoBlock, B);
      return P;
    case BlockKind::Function: {
      const uint64_t PC = H.Dict.Value[B];
      for (Naive *R = In.What == OutlineRow::Call ? &In : In.In;
           R && R->Value == PC; R = R->In)
        ++R->Nested;
      if (In.What == OutlineRow::Call && In.Value == PC) {
        parts(In, B, P);
      } else {
        parts(row(OutlineRow::Call,
                  Before == NoBlock ? NoBlock : H.Dict.Exit[Before], PC),
              B, P);
      }
      Before = NoBlock;
      return P + Length;
    }
    case BlockKind::Iterations:
    case BlockKind::Repeat: {
      auto F = H.Dict.Kind[B] == BlockKind::Iterations
                   ? LoopFacts::unpack(H.Dict.Value[B])
                   : std::nullopt;
      Naive &R =
          row(OutlineRow::Loop, NoBlock, F ? F->Header : H.Dict.Entry[B]);
      std::vector<BlockId> Rounds;
      for (BlockId Part : H.body(B)) {
        uint64_t Times = 1;
        if (H.Dict.Kind[B] == BlockKind::Repeat)
          Times = H.Dict.Value[B];
        else if (F && H.Dict.Kind[Part] == BlockKind::Repeat)
          Times = H.Dict.Value[Part], Part = H.body(Part)[0];
        Rounds.insert(Rounds.end(), Times, Part);
      }
      Place Q = P;
      for (size_t K = 0; K < Rounds.size(); ++K) {
        BlockId None = NoBlock;
        Q = unit(R, Rounds[K], Q, None);
        if (!F || !F->EndsInTest || K + 1 < Rounds.size())
          R.Rounds.push_back(H.Dict.Length[Rounds[K]]);
      }
      R.Trips.push_back({Rounds.size() - (F && F->EndsInTest), P});
      Before = B;
      return Q;
    }
    case BlockKind::Instruction:
      row(OutlineRow::Code, NoBlock, B);
      Before = B;
      return P + Length;
    case BlockKind::Sequence:
      break;
    }
    if (all_of(H.body(B), [&](BlockId Part) {
          return H.Dict.Kind[Part] == BlockKind::Instruction;
        }))
      row(OutlineRow::Code, NoBlock, B);
    else
      parts(In, B, P, Before);
    Before = B;
    return P + Length;
  }

private:
  const Hierarchy &H;
  const Layer &L;

  void parts(Naive &In, BlockId B, Place P, BlockId Before = NoBlock) {
    for (BlockId Part : H.parts(B, L))
      P = unit(In, Part, P, Before);
  }
};

using Facts = std::tuple<int, Place, uint64_t, uint64_t, uint64_t>;

void compare(const Naive &Expected, std::vector<OutlineRow> Rows) {
  // Own code is a row with its blocks inside, where there is something else.
  std::vector<OutlineRow> Flat;
  for (OutlineRow &R : Rows) {
    if (R.What != OutlineRow::Own) {
      Flat.push_back(std::move(R));
      continue;
    }
    uint64_t Sum = 0;
    for (OutlineRow &C : R.Inside) {
      Sum += C.Instructions;
      Flat.push_back(std::move(C));
    }
    ASSERT_EQ(Sum, R.Instructions);
  }
  std::vector<std::pair<Facts, const Naive *>> A;
  for (auto &[Key, N] : Expected.Inside)
    A.push_back({{N.What, N.At, N.Times, N.Instructions, N.Nested}, &N});
  std::vector<std::pair<Facts, const OutlineRow *>> B;
  for (const OutlineRow &R : Flat)
    B.push_back({{R.What, R.At, R.Times, R.Instructions, R.Nested}, &R});
  auto Less = [](const auto &X, const auto &Y) { return X.first < Y.first; };
  llvm::sort(A, Less);
  llvm::sort(B, Less);
  ASSERT_EQ(A.size(), B.size());
  for (size_t I = 0; I < A.size(); ++I) {
    ASSERT_EQ(A[I].first, B[I].first);
    const Naive &N = *A[I].second;
    const OutlineRow &R = *B[I].second;
    if (R.What == OutlineRow::Call || R.What == OutlineRow::Loop) {
      // One run of plain code is not told again.
      if (R.Inside.empty() && N.Inside.size() == 1) {
        ASSERT_EQ(N.Inside.begin()->second.What, OutlineRow::Code);
        ASSERT_EQ(N.Inside.begin()->second.Instructions, R.Instructions);
      } else {
        compare(N, R.Inside);
      }
      if (testing::Test::HasFatalFailure())
        return;
    }
    if (R.What != OutlineRow::Loop)
      continue;
    ASSERT_TRUE(R.Rounds);
    std::vector<uint64_t> Costs = N.Rounds;
    llvm::sort(Costs);
    uint64_t Trips = 0, Min = ~uint64_t(0), Max = 0;
    for (auto [Count, At] : N.Trips) {
      Trips += Count;
      Min = std::min(Min, Count);
      Max = std::max(Max, Count);
    }
    ASSERT_EQ(R.Rounds->Stays, N.Trips.size());
    ASSERT_EQ(R.Rounds->Trips, Trips);
    ASSERT_EQ(R.Rounds->MinTrips, Min);
    ASSERT_EQ(R.Rounds->MaxTrips, Max);
    if (Costs.empty())
      continue;
    ASSERT_EQ(R.Rounds->Min, Costs.front());
    ASSERT_EQ(R.Rounds->Max, Costs.back());
    ASSERT_EQ(R.Rounds->Median, Costs[(Costs.size() + 1) / 2 - 1]);
    ASSERT_EQ(R.Rounds->P99, Costs[(Costs.size() * 99 + 99) / 100 - 1]);
    ASSERT_TRUE(R.Rounds->Dearest);
  }
}

/// Each row is no more than what its blocks do in the whole trace, and the rows
/// in it make it up.
void checkSums(const HtrFile &File, ArrayRef<OutlineRow> Rows) {
  for (const OutlineRow &R : Rows) {
    uint64_t Most = 0;
    for (const BlockTimes &M : R.Of) {
      const BlockInfo I = File.block(M.Id);
      ASSERT_LE(M.Times, I.Occurrences);
      Most += I.Occurrences * I.Length;
    }
    if (!R.Of.empty() && R.Functions.size() < 2) {
      ASSERT_LE(R.Instructions, Most);
    }
    if (R.Inside.empty())
      continue;
    uint64_t Sum = 0;
    for (const OutlineRow &C : R.Inside)
      Sum += C.Instructions;
    ASSERT_EQ(Sum, R.Instructions);
    checkSums(File, R.Inside);
  }
}

void shares(ArrayRef<OutlineRow> Rows, std::vector<uint64_t> &Open,
            std::map<uint64_t, uint64_t> &Sum) {
  for (const OutlineRow &R : Rows) {
    const size_t Before = Open.size();
    for (uint64_t F : R.Functions) {
      if (!is_contained(Open, F) && F == R.Functions.front())
        Sum[F] += R.Instructions;
      Open.push_back(F);
    }
    shares(R.Inside, Open, Sum);
    Open.resize(Before);
  }
}

const char *Pipelines[] = {"functions,bsb,flow-loops", "functions,flow-loops",
                           "functions,bsb,loops", "bsb,flow-loops",
                           "functions,bsb,flow-loops,grammar"};

} // namespace

TEST(Outline, IsWhatWalkingThroughEverythingFinds) {
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomProgram(Random);
    PassOptions P;
    P.Similar = Random() % 2;
    T.run(Pipelines[Round % std::size(Pipelines)], P);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    OutlineOptions O;
    O.Layer = File->numLayers() - 1;
    if (!O.Layer)
      continue;
    O.MaxDepth = 1000;
    O.MaxRows = 1000000;
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th) {
      const UnitRange R = File->sequence(O.Layer, Th);
      Naive Top;
      BlockId Before = NoBlock;
      Place At = File->placeOf(Th, 0);
      for (BlockId B : T.H.top().sequence(Th))
        At = OutlineWalk(T.H).unit(Top, B, At, Before);
      compare(Top,
              Outliner(*File, O).outline(R, 0, R.size(), File->placeOf(Th, 0)));
      if (HasFatalFailure()) {
        FAIL() << "round " << Round << ": " << text(T.H, 0, Th);
        return;
      }
    }
  }
}

static uint64_t countRows(ArrayRef<OutlineRow> Rows) {
  uint64_t Count = Rows.size();
  for (const OutlineRow &R : Rows)
    Count += countRows(R.Inside);
  return Count;
}

TEST(Outline, WhatHasNoLinesIsTold) {
  unsigned Cuts = 0, Wholes = 0;
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    OutlineOptions O;
    O.Layer = File->numLayers() - 1;
    if (!O.Layer)
      continue;
    O.MaxDepth = Random() % 5;
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th) {
      const UnitRange R = File->sequence(O.Layer, Th);
      auto rows = [&](uint64_t Max, bool &Cut) {
        O.MaxRows = Max;
        Outliner Of(*File, O);
        auto Rows = Of.outline(R, 0, R.size(), File->placeOf(Th, 0));
        Cut = Of.isCut();
        return Rows;
      };
      bool Cut;
      const uint64_t All = countRows(rows(~uint64_t(0), Cut));
      ASSERT_FALSE(Cut);
      const uint64_t Max = 1 + Random() % (All + 3);
      auto Rows = rows(Max, Cut);
      ASSERT_EQ(Cut, All > Max);
      ASSERT_EQ(countRows(Rows), std::min(All, Max));
      checkSums(*File, Rows);
      if (HasFatalFailure())
        return;
      ++(Cut ? Cuts : Wholes);
    }
  }
  EXPECT_GT(Cuts, 100u);
  EXPECT_GT(Wholes, 100u);
}

TEST(Outline, NothingOnAPageIsMoreThanItIs) {
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    OutlineOptions O;
    O.Layer = File->numLayers() - 1;
    if (!O.Layer)
      continue;
    O.MaxRows = 1 + Random() % 40;
    O.Small = Random() % 3 ? 0.001 : 0.02;
    // A profile: each instruction once for each function that is active.
    std::map<uint64_t, uint64_t> Profile, Shown;
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th)
      for (size_t I = 0; I < T.Calls[Th].size(); ++I) {
        const Call &C = T.Calls[Th][I];
        bool Inner = false;
        for (size_t K = 0; K < I; ++K)
          Inner |= T.Calls[Th][K].EntryPC == C.EntryPC &&
                   T.Calls[Th][K].Start <= C.Start &&
                   C.End <= T.Calls[Th][K].End;
        if (!Inner)
          Profile[C.EntryPC] += C.End - C.Start;
      }
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th) {
      const UnitRange R = File->sequence(O.Layer, Th);
      auto Rows =
          Outliner(*File, O).outline(R, 0, R.size(), File->placeOf(Th, 0));
      uint64_t Sum = 0;
      for (const OutlineRow &Row : Rows)
        Sum += Row.Instructions;
      ASSERT_EQ(Sum, File->numInstructions(Th));
      checkSums(*File, Rows);
      // Gaps always have a line, one for each kind.
      ASSERT_LE(countRows(Rows), O.MaxRows + 3);
      std::vector<uint64_t> Open;
      shares(Rows, Open, Shown);
      if (HasFatalFailure())
        return;
    }
    for (auto [F, Sum] : Shown)
      ASSERT_LE(Sum, Profile[F]);
  }
}

// Twenty-six functions that cost the same, and lines for some of them.
TEST(Outline, OfEqualRowsTheFirstHaveLines) {
  std::string S;
  for (char C = 'A'; C <= 'Z'; ++C)
    S += std::string("(") + C + "abc)";
  TestTrace T({S});
  T.run("functions,bsb,flow-loops");
  auto File = fileOf(T.H);
  ASSERT_TRUE(File);
  OutlineOptions O;
  O.Layer = File->numLayers() - 1;
  for (uint64_t Max : {2, 5, 10, 60}) {
    O.MaxRows = Max;
    const UnitRange R = File->sequence(O.Layer, 0);
    auto Rows = Outliner(*File, O).outline(R, 0, R.size(), 0);
    const uint64_t Room = std::min(std::max<uint64_t>(6, Max / 3), Max);
    ASSERT_EQ(Rows.size(), Room);
    EXPECT_EQ(Rows.back().What, OutlineRow::Rest);
    EXPECT_EQ(Rows.back().Times, 26 - (Room - 1));
    EXPECT_EQ(Rows[0].At, 0u);
  }
}

static std::vector<OutlineRow> page(const HtrFile &File, uint64_t MaxRows,
                                    std::optional<unsigned> Depth) {
  OutlineOptions O;
  O.Layer = File.numLayers() - 1;
  O.MaxRows = MaxRows;
  O.MaxDepth = Depth;
  const UnitRange R = File.sequence(O.Layer, 0);
  return Outliner(File, O).outline(R, 0, R.size(), 0);
}

static void callsOf(ArrayRef<OutlineRow> Rows,
                    std::map<std::tuple<uint64_t, Place, uint64_t, uint64_t>,
                             std::set<uint64_t>> &Nested) {
  for (const OutlineRow &R : Rows) {
    if (R.What == OutlineRow::Call && R.Functions.size() == 1)
      Nested[{R.Functions[0], R.At, R.Times, R.Instructions}].insert(R.Nested);
    callsOf(R.Inside, Nested);
  }
}

// How often a function is in itself does not depend on what else is shown.
TEST(Outline, CallsOfItselfAreCountedOnAnyPage) {
  unsigned Some = 0;
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    if (File->numLayers() < 2)
      continue;
    std::map<std::tuple<uint64_t, Place, uint64_t, uint64_t>,
             std::set<uint64_t>>
        All, Few;
    callsOf(page(*File, 1000000, 1000), All);
    callsOf(page(*File, 1 + Random() % 12, std::nullopt), Few);
    callsOf(page(*File, 1000000, 0), Few);
    for (auto &[Key, Nested] : Few)
      for (uint64_t N : Nested) {
        ASSERT_TRUE(All[Key].count(N)) << N << " " << text(T.H, 0, 0);
        Some += N != 0;
      }
  }
  EXPECT_GT(Some, 100u);
}

static void compareCalls(ArrayRef<OutlineRow> Shallow,
                         ArrayRef<OutlineRow> Deep, unsigned &Folded,
                         unsigned &Others) {
  for (const OutlineRow &A : Shallow) {
    if (A.What != OutlineRow::Call)
      continue;
    auto B = find_if(Deep, [&](const OutlineRow &R) {
      return R.What == OutlineRow::Call && R.Functions == A.Functions &&
             R.At == A.At;
    });
    ASSERT_NE(B, Deep.end());
    ASSERT_EQ(A.Times, B->Times);
    ASSERT_EQ(A.Nested, B->Nested);
    ASSERT_FALSE(B->HasOthers);
    Folded += A.Nested;
    Others += A.HasOthers;
    if (!A.HasOthers)
      compareCalls(A.Inside, B->Inside, Folded, Others);
  }
}

// Nor on how deep activations are blocks; where that is not deep enough to tell
// what called what, it is told.
TEST(Outline, CallsThatAreNoBlocksAreCounted) {
  unsigned Folded = 0, Others = 0;
  for (unsigned Round = 0; Round < 1000; ++Round) {
    TestTrace T = randomProgram(Random), U = T;
    PassOptions Few;
    Few.Recursion = 1 + Random() % 2;
    T.run("functions", Few);
    U.run("functions");
    auto A = fileOf(T.H), B = fileOf(U.H);
    ASSERT_TRUE(A && B);
    if (A->numLayers() < 2)
      continue;
    compareCalls(page(*A, 1000000, 1000), page(*B, 1000000, 1000), Folded,
                 Others);
    if (HasFatalFailure())
      FAIL() << text(U.H, 1, 0) << "\n" << text(T.H, 1, 0);
  }
  EXPECT_GT(Folded, 100u);
  EXPECT_GT(Others, 20u);
}

// Loops' own code, added up from the rows of the whole tree.
TEST(HotSpots, AreTheOwnCodeOfTheTree) {
  for (unsigned Round = 0; Round < 500; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    OutlineOptions O;
    O.Layer = File->numLayers() - 1;
    if (!O.Layer)
      continue;
    O.MaxDepth = 1000;
    O.MaxRows = 1000000;
    using Key = std::pair<int, uint64_t>;
    std::map<Key, uint64_t> Expected, Found;
    std::function<void(ArrayRef<OutlineRow>, Key)> add =
        [&](ArrayRef<OutlineRow> Rows, Key In) {
          for (const OutlineRow &R : Rows)
            if (R.What == OutlineRow::Own || R.What == OutlineRow::Code) {
              Expected[In] += R.Instructions;
            } else if (R.What != OutlineRow::Gap) {
              Key Here = {HotSpot::Function, 0};
              if (R.What == OutlineRow::Call) {
                Here.second = R.Functions[0];
              } else {
                auto F = File->loopFacts(R.Id);
                Here = {HotSpot::Loop, F ? F->Header : File->block(R.Id).Entry};
              }
              if (R.Inside.empty())
                Expected[Here] += R.Instructions;
              add(R.Inside, Here);
            }
        };
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th) {
      const UnitRange R = File->sequence(O.Layer, Th);
      add(Outliner(*File, O).outline(R, 0, R.size(), File->placeOf(Th, 0)),
          {HotSpot::Thread, Th});
    }
    for (const HotSpot &S : hotSpots(*File, false)) {
      uint64_t Value = S.Value;
      if (S.What == HotSpot::Loop) {
        auto F = File->loopFacts(S.Id);
        Value = F ? F->Header : File->block(S.Id).Entry;
      }
      Found[{S.What, Value}] += S.Own;
    }
    std::erase_if(Expected, [](const auto &E) { return E.second == 0; });
    ASSERT_EQ(Found, Expected) << text(T.H, 0, 0);
    uint64_t Sum = 0;
    for (const HotSpot &S : hotSpots(*File, true))
      Sum += S.Own;
    ASSERT_EQ(Sum, File->numInstructions());
  }
}

TEST(HtrCompare, IsWhereTheInstructionsDiffer) {
  for (unsigned Round = 0; Round < 300; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Pipelines[Round % std::size(Pipelines)]);
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    const BlockId First = File->layer(0).EndBlock, N = File->numBlocks();
    if (First == N)
      continue;
    const unsigned Top = File->numLayers() - 1;
    auto instructions = [&](BlockId B) {
      std::vector<BlockId> Out;
      std::function<void(BlockId)> walk = [&](BlockId P) {
        if (File->kind(P) == BlockKind::Instruction)
          Out.push_back(P);
        const UnitRange R = File->parts(P, Top);
        for (uint64_t I = 0; I < R.Times; ++I)
          for (uint64_t K = 0; K < R.size(); ++K)
            walk(File->unit(R, K));
      };
      walk(B);
      return Out;
    };
    for (unsigned Pair = 0; Pair < 20; ++Pair) {
      const BlockId A = First + Random() % (N - First),
                    B = First + Random() % (N - First);
      auto X = instructions(A), Y = instructions(B);
      uint64_t Common = 0;
      while (Common < X.size() && Common < Y.size() && X[Common] == Y[Common])
        ++Common;
      Difference D = firstDifference(*File, Top, A, B);
      ASSERT_EQ(D.Common, Common);
      ASSERT_EQ(D.A, Common < X.size() ? X[Common] : NoBlock);
      ASSERT_EQ(D.B, Common < Y.size() ? Y[Common] : NoBlock);
      ASSERT_EQ(D.Last, Common ? X[Common - 1] : NoBlock);
      std::map<BlockId, std::pair<uint64_t, uint64_t>> Counts;
      for (BlockId I : X)
        ++Counts[I].first;
      for (BlockId I : Y)
        ++Counts[I].second;
      uint64_t Different = 0, Weight = ~uint64_t(0);
      for (const auto &[I, C] : Counts)
        Different += C.first != C.second;
      for (const CodeCounts &C : differentCode(*File, A, B)) {
        for (BlockId I : {C.First, C.Last})
          ASSERT_EQ(Counts[I], std::pair(C.A, C.B));
        ASSERT_NE(C.A, C.B);
        const uint64_t W =
            C.Instructions * (std::max(C.A, C.B) - std::min(C.A, C.B));
        ASSERT_LE(W, Weight);
        Weight = W;
        Different -= C.Instructions;
      }
      ASSERT_EQ(Different, 0u);
    }
  }
}
