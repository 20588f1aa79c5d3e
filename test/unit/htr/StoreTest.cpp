//===- StoreTest.cpp - HTR of a store -------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtrTestUtil.h"
#include "core/htr/HtrRun.h"
#include "core/htr/InstructionLayer.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace rw;
using namespace rw::htr;

namespace {

class HtrStore : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("htrstore", Dir));
    Path = (Dir + "/t.rewind").str();
    Source = (Dir + "/t.txt").str();
    std::error_code Code;
    raw_fd_ostream(Source, Code) << "a trace\n";
  }
  void TearDown() override { sys::fs::remove_directories(Dir); }

  struct Step {
    uint8_t Thread;
    uint64_t PC;
    uint64_t Time;
    bool GapBefore = false;
  };
  std::unique_ptr<TraceStore> build(ArrayRef<Step> Steps, unsigned Threads,
                                    bool GapAtEnd = false) {
    auto Stamp = cantFail(SourceStamp::of(Source, ""));
    auto B = cantFail(StoreBuilder::create(Path, Stamp, {}));
    ItemBatch Batch;
    for (const Step &S : Steps) {
      if (S.GapBefore) {
        EventItem E;
        E.Before = Batch.Insns.size();
        E.Kind = EventKind::Gap;
        E.Thread = S.Thread;
        Batch.Events.push_back(E);
      }
      InsnItem I;
      I.PC = S.PC;
      I.Time = S.Time;
      I.Size = 4;
      I.Isa = ISA::A64;
      I.Flags = InsnItem::Executed | InsnItem::TimeKnown;
      I.Thread = S.Thread;
      Batch.Insns.push_back(I);
    }
    if (GapAtEnd) {
      EventItem E;
      E.Before = Batch.Insns.size();
      E.Kind = EventKind::Error;
      Batch.Events.push_back(E);
    }
    cantFail(B->consume(Batch));
    TraceHeader Header;
    Header.Format = "test";
    Header.Architecture = Arch::AArch64;
    Header.TimeUnit = "clk";
    Header.Can.Time = true;
    for (unsigned T = 0; T < Threads; ++T)
      Header.Threads.push_back({"cpu" + std::to_string(T), T + 1});
    cantFail(B->finish(Header));
    return cantFail(TraceStore::open(Path));
  }

  SmallString<128> Dir;
  std::string Path, Source;
};

std::string layer0(const Hierarchy &H, ThreadIndex T) {
  std::string S;
  for (BlockId B : H.Layers[0].sequence(T))
    S += H.isBreak(B) ? '!' : char(H.Dict.Value[B] / 4);
  return S;
}

} // namespace

TEST_F(HtrStore, ThreadsThatTakeTurns) {
  std::vector<Step> Steps;
  auto add = [&](uint8_t T, char C, bool Gap = false) {
    Steps.push_back({T, uint64_t(C) * 4, Steps.size() * 10, Gap});
  };
  add(0, 'a');
  add(1, 'x');
  add(0, 'b');
  add(1, 'y', /*Gap=*/true);
  add(0, 'a', /*Gap=*/true);
  add(0, 'b');
  add(1, 'x');
  add(0, 'c');
  auto Store = build(Steps, 2, /*GapAtEnd=*/true);
  auto Read = readInstructionLayer(*Store);
  ASSERT_TRUE(bool(Read)) << toString(Read.takeError());
  const Hierarchy &H = Read->first;
  EXPECT_EQ(layer0(H, 0), "ab!abc!");
  EXPECT_EQ(layer0(H, 1), "x!yx");
  EXPECT_EQ(H.ThreadBase, (std::vector<Place>{0, 5, 8}));
  std::vector<uint64_t> Times;
  for (Place P = 0; P < 8; ++P)
    Times.push_back(Read->second.at(P));
  EXPECT_EQ(Times, (std::vector<uint64_t>{0, 20, 40, 50, 70, 10, 30, 60}));
}

TEST_F(HtrStore, RunSaveOpen) {
  std::vector<Step> Steps;
  for (unsigned I = 0; I < 3000; ++I)
    Steps.push_back({0, 0x1000 + 4 * (I % 5), I});
  auto Store = build(Steps, 1);
  std::string Why;
  auto None = openLayers(*Store, Path, Why);
  ASSERT_TRUE(bool(None));
  EXPECT_EQ(*None, nullptr);
  EXPECT_EQ(Why, "there are none yet");

  RunOptions Options;
  Options.Pipeline = "functions,bsb,loops,grammar";
  auto Run = runPasses(*Store, Options);
  ASSERT_TRUE(bool(Run)) << toString(Run.takeError());
  ASSERT_FALSE(errorToBool(writeHtrFile(layersPath(Path), *Run)));
  auto File = openLayers(*Store, Path, Why);
  ASSERT_TRUE(bool(File)) << toString(File.takeError());
  ASSERT_NE(*File, nullptr) << Why;
  const HtrFile &F = **File;
  // The end of the trace follows the last unit: it ends a block, so the first
  // four and the last one are blocks of their own kind.
  ASSERT_EQ(F.numLayers(), 3u);
  UnitRange Top = F.sequence(2, 0);
  ASSERT_EQ(Top.size(), 1u);
  BlockInfo I = F.block(F.unit(Top, 0));
  EXPECT_EQ(I.Kind, BlockKind::Repeat);
  EXPECT_EQ(I.Value, 600u);
  EXPECT_EQ(*I.Time, 2999u);
  // Nothing was left for the grammar, and no functions were known.
  ASSERT_EQ(F.header().Notes.size(), 2u);
  EXPECT_NE(F.header().Notes[0].find("functions: "), std::string::npos);
  EXPECT_EQ(F.header().Notes[1],
            "grammar: found nothing to condense, no layer added");

  // Another store under the same name: the layers are not trusted.
  Steps.pop_back();
  Store.reset();
  Store = build(Steps, 1);
  auto Stale = openLayers(*Store, Path, Why);
  ASSERT_TRUE(bool(Stale));
  EXPECT_EQ(*Stale, nullptr);
  EXPECT_NE(Why.find("another state of the store"), std::string::npos);
  EXPECT_FALSE(isReplaced(*Store, Path));
}

// Layers belong to the contents of a store, not to a file's name and time.
TEST_F(HtrStore, StoresThatAreRemovedOrReplaced) {
  std::vector<Step> Steps;
  for (unsigned I = 0; I < 3000; ++I)
    Steps.push_back({0, 0x1000 + 4 * (I % 5), I});
  auto Store = build(Steps, 1);
  auto Run = runPasses(*Store, {});
  ASSERT_TRUE(bool(Run)) << toString(Run.takeError());
  ASSERT_FALSE(errorToBool(writeHtrFile(layersPath(Path), *Run)));
  auto kept = [&](const TraceStore &S) {
    std::string Why;
    auto File = openLayers(S, Path, Why);
    if (!File)
      consumeError(File.takeError());
    return File && *File;
  };
  ASSERT_TRUE(kept(*Store));
  // A store that is open goes on having its layers.
  sys::fs::remove(Path);
  EXPECT_TRUE(kept(*Store));
  EXPECT_FALSE(isReplaced(*Store, Path));
  // A store that is made again has them, too.
  auto Again = build(Steps, 1);
  EXPECT_TRUE(kept(*Again));
  EXPECT_FALSE(isReplaced(*Store, Path));
  // Another one has not, and the layers there are that one's to make.
  Steps[1000].PC += 4;
  auto Other = build(Steps, 1);
  EXPECT_FALSE(kept(*Other));
  EXPECT_TRUE(kept(*Store));
  EXPECT_TRUE(isReplaced(*Store, Path));
  EXPECT_FALSE(isReplaced(*Other, Path));
}

TEST_F(HtrStore, UnknownPass) {
  auto Store = build({{0, 4, 1}}, 1);
  RunOptions Options;
  Options.Pipeline = "bsb,lops";
  auto Run = runPasses(*Store, Options);
  ASSERT_FALSE(bool(Run));
  EXPECT_EQ(toString(Run.takeError()),
            "there is no pass 'lops'; there are functions, bsb, "
            "flow-loops, loops, grammar");
}

TEST_F(HtrStore, Interrupted) {
  std::vector<Step> Steps;
  for (unsigned I = 0; I < 3000; ++I)
    Steps.push_back({0, 0x1000 + 4 * (I % 5), I});
  auto Store = build(Steps, 1);
  std::atomic<bool> Cancel = true;
  RunOptions Options;
  Options.Watch.Cancel = &Cancel;
  auto Run = runPasses(*Store, Options);
  ASSERT_FALSE(bool(Run));
  EXPECT_EQ(toString(Run.takeError()), "interrupted");
}
