//===- HtrExportTest.cpp - Layers as timelines ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/HtrExport.h"
#include "../htr/HtrTestUtil.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace rw;
using namespace rw::htr;

namespace {

std::unique_ptr<HtrFile> fileOf(const TestTrace &T) {
  TimeTable NoTimes;
  auto S = collect(T.H, NoTimes, countLeaves(T.H, NoTimes));
  if (!S) {
    ADD_FAILURE() << toString(S.takeError());
    return nullptr;
  }
  auto File = openInMemory({T.H, std::move(*S), {}});
  if (!File) {
    ADD_FAILURE() << toString(File.takeError());
    return nullptr;
  }
  return std::move(*File);
}

struct Exported {
  std::vector<HtrExportTrack> Tracks;
  std::string Text; ///< "name[" where one begins, "]" where it ends, "name@" an
                    ///< instant, with times
};

/// \p Clock: none if the axis is to be one of instructions.
Exported exportOf(const HtrFile &File, function_ref<uint64_t(Position)> Clock,
                  uint64_t MaxSlices = 100) {
  HtrExportOptions Options;
  Options.Title = "t";
  Options.TimeUnit = Clock ? "tick" : "";
  Options.MaxSlices = MaxSlices;
  Options.NameOf = [&](BlockId B) {
    switch (File.kind(B)) {
    case BlockKind::Break:
      return std::string("gap");
    case BlockKind::Function:
      return std::string(1, char(File.block(B).Value));
    default:
      return std::to_string(File.length(B));
    }
  };
  Options.TimeAt = [&](ThreadIndex, Position P) -> Expected<uint64_t> {
    return Clock ? Clock(P) : P;
  };
  Exported E;
  std::string Json;
  raw_string_ostream Out(Json);
  auto Tracks = exportHtr(File, Options, Out);
  if (!Tracks) {
    ADD_FAILURE() << toString(Tracks.takeError());
    return E;
  }
  E.Tracks = *Tracks;
  json::Value Root = cantFail(json::parse(Out.str()));
  for (const json::Value &V : *Root.getAsObject()->getArray("traceEvents")) {
    const json::Object &Event = *V.getAsObject();
    StringRef Phase = *Event.getString("ph"), Name = *Event.getString("name");
    if (Phase == "M") {
      if (Name == "thread_name")
        E.Text += "| ";
      continue;
    }
    E.Text += (Phase == "B"   ? Name + "["
               : Phase == "i" ? Name + "@"
                              : "]")
                  .str() +
              std::to_string(*Event.getInteger("ts")) + " ";
  }
  return E;
}

} // namespace

TEST(HtrExport, TimeThatIsLostInAGapIsTheGaps) {
  // Two instructions, a function with a gap inside, another gap at its end.
  TestTrace T("ab(fc!dg)!e");
  T.run("functions,bsb");
  auto File = fileOf(T);
  ASSERT_TRUE(File);
  // An instruction takes 10, but the one before the gap takes 1000.
  auto Late = [](Position P) { return P * 10 + (P >= 4 ? 990 : 0); };
  EXPECT_EQ(exportOf(*File, Late).Text,
            // The gap at position 4 takes from 30 to 1030; no time passes
            // between the function's last instruction and the second gap.
            "| 6[0 f[20 2[20 ]30 gap[30 ]1030 2[1030 ]1040 ]1040 ]1040 "
            "gap[1040 ]1050 "
            "| f[20 gap[30 ]1030 ]1040 gap[1040 ]1050 ");
  // Where the axis is one of instructions, a gap takes none.
  EXPECT_EQ(exportOf(*File, nullptr).Text,
            "| 6[0 f[2 2[2 ]4 gap@4 2[4 ]6 ]6 ]6 gap@6 "
            "| f[2 gap@4 ]6 gap@6 ");
}

TEST(HtrExport, WhereTheClockStandsStill) {
  TestTrace T("ab(fc!dg)!e");
  T.run("functions,bsb");
  auto File = fileOf(T);
  ASSERT_TRUE(File);
  // All at 7, but for the last instruction.
  Exported E = exportOf(*File, [](Position P) { return P < 6 ? 7 : 9; });
  EXPECT_EQ(E.Text, "| gap[7 ]9 | gap[7 ]9 ");
  ASSERT_EQ(E.Tracks.size(), 2u);
  EXPECT_EQ(E.Tracks[0].Flat, 1u);
  EXPECT_EQ(E.Tracks[0].Slices, 1u);
  EXPECT_EQ(E.Tracks[1].Flat, 1u);
  // The gap in the function takes time, the one at its end none.
  E = exportOf(*File, [](Position P) { return P < 4 ? 7 : 9; });
  EXPECT_EQ(E.Text, "| 6[7 f[7 gap[7 ]9 ]9 ]9 gap@9 | f[7 gap[7 ]9 ]9 gap@9 ");
}

TEST(HtrExport, WhatIsTooMuch) {
  TestTrace T("ab(fc!dg)!e");
  T.run("functions,bsb");
  auto File = fileOf(T);
  ASSERT_TRUE(File);
  // The shortest blocks go first, gaps last.
  Exported E = exportOf(*File, nullptr, 4);
  ASSERT_EQ(E.Tracks.size(), 2u);
  EXPECT_EQ(E.Tracks[0].MinLength, 4u);
  EXPECT_TRUE(E.Tracks[0].Gaps);
  EXPECT_EQ(E.Tracks[0].Slices, 4u);
  EXPECT_EQ(E.Tracks[1].MinLength, 1u);
  EXPECT_EQ(E.Text, "| 6[0 f[2 gap@4 ]6 ]6 gap@6 "
                    "| f[2 gap@4 ]6 gap@6 ");
  // Three blocks that all have two instructions, two gaps, room for one.
  TestTrace Many("(fa)!(fa)!(fa)");
  Many.run("functions");
  auto ManyFile = fileOf(Many);
  ASSERT_TRUE(ManyFile);
  E = exportOf(*ManyFile, nullptr, 1);
  ASSERT_EQ(E.Tracks.size(), 1u);
  EXPECT_FALSE(E.Tracks[0].Gaps);
  EXPECT_EQ(E.Tracks[0].Slices, 0u);
}
