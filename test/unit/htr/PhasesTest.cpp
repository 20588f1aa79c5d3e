//===- PhasesTest.cpp - Where the set of running code changes -------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/htr/Phases.h"
#include "HtrTestUtil.h"

using namespace llvm;
using namespace rw;
using namespace rw::htr;

static std::vector<Phase> phasesOf(const HtrFile &File, ThreadIndex T = 0) {
  const unsigned Top = File.numLayers() - 1;
  const UnitRange R = File.sequence(Top, T);
  auto Found = phases(File, Top, R, 0, R.size(), File.placeOf(T, 0));
  if (Found)
    return std::move(*Found);
  ADD_FAILURE() << toString(Found.takeError());
  return {};
}

static std::string times(unsigned N, const std::string &S) {
  std::string All;
  while (N-- > 0)
    All += S;
  return All;
}

/// "0:f 300:g"; a loop by its header in braces.
static std::string told(const HtrFile &File) {
  std::string Text;
  for (const Phase &P : phasesOf(File)) {
    Text += (Text.empty() ? "" : " ") + std::to_string(P.At) + ":";
    for (BlockId B : P.In) {
      const auto F = File.loopFacts(B);
      Text += F ? std::string("{") + char(File.block(F->Header).Value) + "}"
                : std::string(1, char(File.block(B).Value));
    }
  }
  return Text;
}

TEST(Phases, BeginWhereOtherCodeRuns) {
  TestTrace T("m(f" + times(100, "hat") + ")n(g" + times(100, "iu") + ")e");
  T.run("functions,bsb,flow-loops");
  EXPECT_EQ(told(*fileOf(T.H)), "0:f 303:g");
  // Code that is called twice is one phase.
  TestTrace Same("m(f" + times(100, "hat") + ")n(f" + times(100, "hat") + ")e");
  Same.run("functions,bsb,flow-loops");
  EXPECT_EQ(phasesOf(*fileOf(Same.H)).size(), 1u);
}

// A loop whose later rounds do something else.
TEST(Phases, BeginInALoop) {
  TestTrace T("s" + times(50, "h(fabc)t") + times(50, "h(guvw)t") + "e");
  T.run("functions,bsb,flow-loops");
  const auto Found = phasesOf(*fileOf(T.H));
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[1].At, 1u + 50 * 6);
}

// Long turns, but always the same: there are no eight first of them.
TEST(Phases, LongTurns) {
  TestTrace T(
      "s" +
      times(20, "x(f" + times(20, "hab") + ")y(g" + times(20, "iuv") + ")z") +
      "e");
  T.run("functions,bsb,flow-loops");
  EXPECT_EQ(phasesOf(*fileOf(T.H)).size(), 1u);
}

// What takes turns is one phase.
TEST(Phases, TurnsAreNone) {
  TestTrace T("s" + times(100, "h(fabc)(guvw)t") + "e");
  T.run("functions,bsb,flow-loops");
  EXPECT_EQ(phasesOf(*fileOf(T.H)).size(), 1u);
}

TEST(Phases, AddUp) {
  std::mt19937 Random(5);
  for (unsigned Round = 0; Round < 500; ++Round) {
    TestTrace T = randomProgram(Random);
    T.run(Round % 2 ? "functions,bsb,flow-loops" : "bsb,loops");
    auto File = fileOf(T.H);
    ASSERT_TRUE(File);
    if (File->numLayers() == 1)
      continue;
    for (ThreadIndex Th = 0; Th < File->numThreads(); ++Th) {
      const auto Found = phasesOf(*File, Th);
      ASSERT_LE(Found.size(), MaxPhases);
      ASSERT_EQ(Found.empty(), File->numInstructions(Th) == 0);
      Place At = File->placeOf(Th, 0);
      for (const Phase &P : Found) {
        ASSERT_EQ(P.At, At);
        ASSERT_GT(P.Instructions, 0u);
        At += P.Instructions;
      }
      ASSERT_EQ(At, File->placeOf(Th, File->numInstructions(Th)));
    }
  }
}
