//===- SliceTest.cpp - Slices are the closure of dependences --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../support/TestData.h"
#include "SliceGraph.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>
#include <set>

using namespace rw;
using namespace rw::dataflow;

namespace {

/// Slices of recorded programs; REWIND_DATAFLOW_SLICES: how many, for a long
/// run.
class Slices : public testing::TestWithParam<const char *> {};

/// The addresses of \p R, one by one.
static std::set<uint64_t> bytesOf(Range R) {
  std::set<uint64_t> All;
  for (uint32_t B = 0; B < R.Size; ++B)
    All.insert(R.Addr + B);
  return All;
}

TEST(Ranges, GoOnAtAddressZero) {
  // All pairs of small ranges around the end of the address space.
  std::vector<Range> All;
  for (uint64_t Addr = uint64_t(-6); Addr != 6; ++Addr)
    for (uint32_t Size = 1; Size <= 5; ++Size)
      All.push_back({Addr, Size});
  for (Range A : All)
    for (Range B : All) {
      std::set<uint64_t> Of = bytesOf(A), With = bytesOf(B), Both, Rest, Parts;
      for (uint64_t Byte : Of)
        (With.count(Byte) ? Both : Rest).insert(Byte);
      EXPECT_EQ(A.overlaps(B), !Both.empty());
      const Range Common = A.common(B);
      EXPECT_EQ(bytesOf(Common), Both);
      if (!Both.empty()) {
        auto [Before, Behind] = A.around(Common);
        Parts = bytesOf(Before);
        Parts.merge(bytesOf(Behind));
        EXPECT_EQ(Parts, Rest);
        EXPECT_EQ(Before.Size + Behind.Size, Rest.size());
      }
      llvm::SmallVector<Range, 2> Two{A, B};
      sortAndJoin(Two);
      EXPECT_EQ(Two.size() == 1, A.end() == B.Addr || B.end() == A.Addr);
      Of.merge(With);
      Parts.clear();
      for (Range R : Two)
        Parts.merge(bytesOf(R));
      EXPECT_EQ(Parts, Of);
    }
}

/// How many slices of each kind a test looks at.
static int count(int Usual) {
  const char *Text = std::getenv("REWIND_DATAFLOW_SLICES");
  return Text ? std::atoi(Text) : Usual;
}

struct Recorded {
  std::unique_ptr<TraceStore> Store;
  std::unique_ptr<CallIndex> Calls;
};

/// Nothing if that failed, which the test is told.
static std::optional<Recorded> record(const char *Name) {
  IndexOptions Options;
  Options.IndexPath = unnamedStorePath();
  const llvm::scope_exit Remove(
      [&] { llvm::sys::fs::remove(Options.IndexPath); });
  Recorded R;
  auto Store = openOrBuildStore(test::madeData(Name), Options);
  if (!Store) {
    ADD_FAILURE() << llvm::toString(Store.takeError());
    return std::nullopt;
  }
  R.Store = std::move(*Store);
  auto Calls = CallIndex::open(*R.Store);
  if (!Calls) {
    ADD_FAILURE() << llvm::toString(Calls.takeError());
    return std::nullopt;
  }
  R.Calls = std::move(*Calls);
  return R;
}

/// The moments of a slice, and their depths. \p Ascends: they do.
template <class Slice>
static std::map<Moment, unsigned> take(Slice &S, bool Ascends) {
  std::map<Moment, unsigned> Found;
  while (true) {
    auto Step = S.next();
    if (!Step) {
      ADD_FAILURE() << llvm::toString(Step.takeError());
      return Found;
    }
    if (!*Step)
      return Found;
    const Moment When = (*Step)->Insn.When;
    if (!Found.empty()) {
      EXPECT_EQ(Ascends, When > Found.rbegin()->first);
      EXPECT_EQ(!Ascends, When < Found.begin()->first);
    }
    Found[When] = (*Step)->Depth;
  }
}

static std::set<Moment> moments(const std::map<Moment, unsigned> &Of) {
  std::set<Moment> All;
  for (auto [M, Depth] : Of)
    All.insert(M);
  return All;
}

static constexpr ControlMode AllControl[] = {
    ControlMode::None, ControlMode::Exact, ControlMode::Call, ControlMode::All};

TEST_P(Slices, AreTheClosure) {
  if (std::string Why = test::whyNotMade("tarmac"); !Why.empty())
    REWIND_SKIP(Why);
  auto R = record(GetParam());
  ASSERT_TRUE(R);
  for (bool Thin : {true, false}) {
    StepCodes Codes(*R->Store, {Thin, {}});
    SliceGraph G(*R->Store, R->Calls.get(), Codes, ControlMode::None);
    std::mt19937_64 Random(1);
    for (int N = 0; N < count(60); ++N) {
      Moment At = Random() % R->Store->numInstructions();
      // Without calls no save is stepped over.
      BackwardSlice Slice(*R->Store, Codes, nullptr, {});
      Slice.add(At);
      ASSERT_EQ(moments(take(Slice, false)), G.closure(At))
          << "slice of #" << At;
    }
  }
}

/// With what decided that instructions were reached, backwards and forward.
TEST_P(Slices, AreTheClosureOfControl) {
  if (std::string Why = test::whyNotMade("tarmac"); !Why.empty())
    REWIND_SKIP(Why);
  auto R = record(GetParam());
  ASSERT_TRUE(R);
  for (ControlMode Mode : AllControl)
    for (bool Thin : {true, false}) {
      StepCodes Codes(*R->Store, {Thin, {}});
      ControlFlow Flow;
      llvm::cantFail(followControl(*R->Store, R->Calls.get(), Codes, {}, Flow));
      SliceGraph G(*R->Store, R->Calls.get(), Codes, Mode);
      std::mt19937_64 Random(4);
      size_t More = 0;
      for (int N = 0; N < count(12); ++N) {
        const Moment At = Random() % R->Store->numInstructions();
        auto Table = ControlTable::make(*R->Store, R->Calls.get(), Codes, Mode,
                                        &Flow, At + 1, {});
        ASSERT_TRUE(bool(Table)) << llvm::toString(Table.takeError());
        BackwardSlice::Options O;
        O.Control = Mode == ControlMode::None ? nullptr : Table->get();
        BackwardSlice Slice(*R->Store, Codes, nullptr, O),
            Data(*R->Store, Codes, nullptr, {});
        Slice.add(At);
        Data.add(At);
        const std::set<Moment> Found = moments(take(Slice, false));
        ASSERT_EQ(Found, G.closure(At))
            << "slice of #" << At << ", mode " << int(Mode);
        More += Found.size() > take(Data, false).size();

        ForwardSlice::Options F;
        F.From = At + 1;
        F.To = At + 3000;
        F.Control = Mode;
        F.Flow = &Flow;
        F.Calls = R->Calls.get();
        ForwardSlice Ahead(*R->Store, Codes, F);
        for (const DataPlace &P : G.made(At))
          Ahead.add(P);
        const std::map<Moment, unsigned> After = take(Ahead, true);
        ASSERT_EQ(moments(After), moments(G.comesFrom(At, F.To)))
            << "forward slice of #" << At << ", mode " << int(Mode);
        if (After.empty())
          continue;
        // The other way round.
        Table = ControlTable::make(*R->Store, R->Calls.get(), Codes, Mode,
                                   &Flow, F.To, {});
        ASSERT_TRUE(bool(Table)) << llvm::toString(Table.takeError());
        O.Control = Mode == ControlMode::None ? nullptr : Table->get();
        BackwardSlice Back(*R->Store, Codes, nullptr, O);
        const Moment Last = After.rbegin()->first;
        Back.add(Last);
        EXPECT_TRUE(take(Back, false).count(At))
            << "#" << Last << " comes from #" << At;
      }
      EXPECT_EQ(More > 0, Mode != ControlMode::None);
    }
}

TEST_P(Slices, ForwardAreTheClosureToo) {
  if (std::string Why = test::whyNotMade("tarmac"); !Why.empty())
    REWIND_SKIP(Why);
  auto R = record(GetParam());
  ASSERT_TRUE(R);
  for (bool Thin : {true, false}) {
    StepCodes Codes(*R->Store, {Thin, {}});
    SliceGraph G(*R->Store, R->Calls.get(), Codes, ControlMode::None);
    std::mt19937_64 Random(2);
    size_t Several = 0, Cut = 0;
    for (int N = 0; N < count(60); ++N) {
      Moment At = Random() % R->Store->numInstructions();
      ForwardSlice::Options O;
      O.From = At + 1;
      auto Take = [&] {
        ForwardSlice Slice(*R->Store, Codes, O);
        for (const DataPlace &P : G.made(At))
          Slice.add(P);
        return take(Slice, true);
      };
      const std::map<Moment, unsigned> Found = Take(),
                                       Model = G.comesFrom(At, ~Moment(0));
      Several += Found.size() > 1;
      ASSERT_EQ(Found, Model) << "forward slice of #" << At;
      O.MaxDepth = unsigned(Random() % 4);
      std::map<Moment, unsigned> Near;
      for (auto [M, Depth] : Model)
        if (Depth <= O.MaxDepth)
          Near[M] = Depth;
      Cut += Near.size() < Model.size();
      ASSERT_EQ(Take(), Near) << "at most " << O.MaxDepth << " from #" << At;
      // The other way round.
      if (Found.empty())
        continue;
      BackwardSlice Back(*R->Store, Codes, nullptr, {});
      Back.add(Found.rbegin()->first);
      EXPECT_TRUE(take(Back, false).count(At))
          << "#" << Found.rbegin()->first << " comes from #" << At;
    }
    EXPECT_GT(Several, 0u);
    EXPECT_GT(Cut, 0u);
  }
}

/// Bytes that come and go, against a map of addresses.
TEST(ByteDepths, AreMaps) {
  std::mt19937_64 Random(3);
  ByteDepths Set;
  std::map<uint64_t, unsigned> Model;
  for (int N = 0; N < 20000; ++N) {
    Range R{Random() % 300 - 150, uint32_t(1 + Random() % 100)};
    std::map<uint64_t, unsigned> Common, Told;
    Set.forEach(R, [&](Range C, unsigned Depth) {
      for (uint64_t Byte : bytesOf(C))
        EXPECT_TRUE(Told.insert({Byte, Depth}).second);
    });
    for (uint64_t Byte : bytesOf(R))
      if (Model.count(Byte))
        Common[Byte] = Model[Byte];
    ASSERT_EQ(Told, Common);
    const bool In = Random() % 2;
    const unsigned Depth = Random() % 3;
    In ? Set.insert(R, Depth) : Set.erase(R);
    for (uint64_t Byte : bytesOf(R))
      if (In)
        Model[Byte] = Depth;
      else
        Model.erase(Byte);
    ASSERT_EQ(Set.empty(), Model.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Slices,
                         testing::Values("tarmac/calculator-a64.tarmac",
                                         "tarmac/calculator-a32.tarmac",
                                         "tarmac/quicksort.tarmac"));

} // namespace
