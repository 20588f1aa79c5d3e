//===- SliceTest.cpp - Slices are the closure of dependences --------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Slice.h"
#include "../support/TestData.h"
#include "core/store/Indexer.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>
#include <set>

using namespace rw;
using namespace rw::dataflow;

namespace {

/// Each instruction's sources, by walking the trace once: who wrote a cell or a
/// byte last. Explicit edges of instructions, by node.
struct Graph {
  struct Node {
    Moment When;
    std::vector<size_t> From;
    std::vector<Cell> Cells;
    std::vector<Range> Memory;
  };
  std::vector<Node> Nodes;
  std::map<Moment, std::vector<size_t>> ByMoment;

  Graph(const TraceStore &Store, StepCodes &Codes, std::set<Cell> SP) {
    std::map<Cell, size_t> Cells;
    std::map<uint64_t, size_t> Bytes;
    StepReader Reader(Store, nullptr, Codes, {});
    while (const Step *S = Reader.next()) {
      std::vector<size_t> Here;
      if (S->Executed)
        for (const NodeCode &N : S->Code->Nodes) {
          Node New{S->When, {}, {}, {}};
          for (Cell C : S->Code->reads(N))
            if (!SP.count(C) && Cells.count(C))
              New.From.push_back(Cells[C]);
          forEachPart(N.Load, S->Loads, [&](Range R) {
            for (uint32_t B = 0; B < R.Size; ++B)
              if (Bytes.count(R.Addr + B))
                New.From.push_back(Bytes[R.Addr + B]);
          });
          Here.push_back(Nodes.size());
          Nodes.push_back(std::move(New));
        }
      for (size_t K = 0; K < Here.size(); ++K) {
        const NodeCode &N = S->Code->Nodes[K];
        for (Cell C : S->Code->writes(N))
          Cells[C] = Here[K];
        forEachPart(N.Store, S->Stores, [&](Range R) {
          for (uint32_t B = 0; B < R.Size; ++B)
            Bytes[R.Addr + B] = Here[K];
        });
      }
      ByMoment[S->When] = Here;
    }
  }

  /// The moments of all that the nodes of \p At come from, and its own.
  std::set<Moment> closure(Moment At) const {
    std::set<size_t> Seen(ByMoment.at(At).begin(), ByMoment.at(At).end());
    std::vector<size_t> Todo(Seen.begin(), Seen.end());
    std::set<Moment> Moments = {At};
    while (!Todo.empty()) {
      const Node &N = Nodes[Todo.back()];
      Todo.pop_back();
      Moments.insert(N.When);
      for (size_t U : N.From)
        if (Seen.insert(U).second)
          Todo.push_back(U);
    }
    return Moments;
  }
};

/// Of recorded programs; REWIND_DATAFLOW_SLICES: how many of each, for a long
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

TEST_P(Slices, AreTheClosure) {
  std::string Why = test::whyNotMade("tarmac");
  if (!Why.empty()) {
    ASSERT_FALSE(test::mustRunAll()) << Why;
    GTEST_SKIP() << Why;
  }
  IndexOptions Options;
  Options.IndexPath = unnamedStorePath();
  auto Store = openOrBuildStore(test::madeData(GetParam()), Options);
  ASSERT_TRUE(bool(Store)) << llvm::toString(Store.takeError());
  const char *Text = std::getenv("REWIND_DATAFLOW_SLICES");
  int Count = Text ? std::atoi(Text) : 60;
  for (bool Thin : {true, false}) {
    StepCodes Codes(**Store, {Thin, {}});
    std::set<Cell> SP;
    for (CellRef R : Codes.stackPointers())
      for (unsigned C = R.First; C < R.end(); ++C)
        SP.insert(Cell(C));
    Graph G(**Store, Codes, SP);
    std::mt19937_64 Random(1);
    for (int N = 0; N < Count; ++N) {
      Moment At = Random() % (*Store)->numInstructions();
      // Without calls no save is stepped over.
      BackwardSlice Slice(**Store, Codes, nullptr, {});
      Slice.add(At);
      std::set<Moment> Found;
      Moment Last = ~Moment(0);
      while (true) {
        auto S = Slice.next();
        ASSERT_TRUE(bool(S)) << llvm::toString(S.takeError());
        if (!*S)
          break;
        ASSERT_LT((*S)->Insn.When, Last);
        Last = (*S)->Insn.When;
        Found.insert(Last);
      }
      ASSERT_EQ(Found, G.closure(At)) << "slice of #" << At;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recorded, Slices,
                         testing::Values("tarmac/calculator-a64.tarmac",
                                         "tarmac/calculator-a32.tarmac",
                                         "tarmac/quicksort.tarmac"));

} // namespace
