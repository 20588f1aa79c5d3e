//===- SeamTest.cpp - Pieces join to what really ran ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "Synth.h"
#include <cmath>

using namespace llvm;

namespace rw::intelpt {

static std::string describe(const Trace &T) {
  std::string S;
  raw_string_ostream OS(S);
  for (const EventItem &E : T.Events)
    OS << E.Before << ' ' << int(E.Kind) << ' ' << int(E.Thread) << ' '
       << E.Text << '\n';
  return S;
}

static size_t count(const Trace &T, StringRef Text) {
  return size_t(llvm::count_if(T.Events, [&](const EventItem &E) {
    return StringRef(E.Text).contains(Text);
  }));
}

/// One stream: every PSB a seam, some, and none at all.
static void check(unsigned Seed, const RunOptions &O) {
  SCOPED_TRACE("program " + std::to_string(Seed));
  Program P = Program::random(Seed);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Execution X = run(P, O);
  EXPECT_GT(X.Psbs, 5u);
  Recording R = recording(P, Elf, {X});
  if (O.CycEvery)
    R.NominalFrequency = uint8_t(O.NominalRatio);
  std::string Events;
  for (size_t PieceBytes : {size_t(1) << 40, size_t(1), size_t(700)}) {
    SCOPED_TRACE("pieces of " + std::to_string(PieceBytes));
    Trace T;
    decode(R, PieceBytes, T);
    checkSame(T.PCs[0], X.PCs);
    EXPECT_EQ(count(T, "ptwrite"), X.PtWrites.size());
    EXPECT_EQ(count(T, "left the traced code"), X.SystemCalls);
    EXPECT_EQ(count(T, "tracing off: interrupted"), X.Interrupts + 1);
    EXPECT_EQ(count(T, "overflow"), X.Overflows);
    EXPECT_EQ(T.Header.NumMalformed, 0u)
        << (T.Header.Malformed.empty() ? "" : T.Header.Malformed[0].What);
    if (Events.empty())
      Events = describe(T);
    EXPECT_EQ(describe(T), Events);
    if (testing::Test::HasFailure())
      return;
  }
}

TEST(Seams, Plain) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed)
    check(Seed, {.Seed = Seed});
}
TEST(Seams, CompressedReturns) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed)
    check(Seed, {.Seed = Seed, .CompressReturns = true});
}
TEST(Seams, LatePsb) {
  for (unsigned Delay = 1; Delay <= 20; ++Delay)
    check(Delay, {.Seed = Delay, .PsbDelay = Delay, .CompressReturns = true});
}
TEST(Seams, LongTnt) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    check(Seed, {.Seed = Seed, .PsbDelay = Seed % 3, .LongTnt = true});
}
TEST(Seams, Interrupts) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed)
    check(Seed, {.Seed = Seed, .PsbDelay = Seed % 4, .InterruptEvery = 7});
}
TEST(Seams, Overflows) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed)
    check(Seed, {.Seed = Seed, .PsbDelay = Seed % 4, .OverflowEvery = 97});
}
TEST(Seams, Mtc) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    check(Seed, {.Seed = Seed, .MtcEvery = 50});
}
TEST(Seams, Cyc) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    check(Seed, {.Seed = Seed, .CycEvery = 7, .InterruptEvery = Seed % 2 * 50});
}
TEST(Seams, NoTiming) {
  for (unsigned Seed = 1; Seed <= 10; ++Seed)
    check(Seed, {.Seed = Seed, .Timing = false});
}

/// Between PSBs, MTC packets tell the time.
TEST(Time, Mtc) {
  Program P = Program::random(8);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Execution X = run(P, {.Seed = 8,
                        .Instructions = 60000,
                        .PsbBytes = 4000,
                        .MtcEvery = 512,
                        .FirstTsc = 1 << 20});
  auto worst = [&](bool Calibrated) {
    Recording R = recording(P, Elf, {X});
    if (Calibrated) {
      R.TscCtcNumerator = 512;
      R.TscCtcDenominator = 1;
    }
    Trace T;
    decode(R, 0, T);
    checkSame(T.PCs[0], X.PCs);
    EXPECT_EQ(T.Header.TimeUnit, "tsc");
    EXPECT_EQ(llvm::any_of(T.Header.Notes,
                           [](auto &N) {
                             return StringRef(N.second).contains(
                                 "MTC packets are not used");
                           }),
              !Calibrated);
    uint64_t Worst = 0;
    for (size_t I = 0; I < T.Order.size(); ++I)
      Worst = std::max(
          Worst, uint64_t(std::abs(int64_t(T.Order[I].Time - (1 << 20) - I))));
    return Worst;
  };
  // A packet in advance, and the block that it is read for.
  EXPECT_LT(worst(true), 1200u);
  EXPECT_GT(worst(false), 2000u);
}

/// CYC packets count the cycles of the core, which runs faster than the TSC
/// here, or slower.
TEST(Time, Cyc) {
  for (unsigned Cbr : {26u, 8u}) {
    SCOPED_TRACE(Cbr);
    Program P = Program::random(8);
    TempDir Dir;
    std::string Elf = Dir.write("program", P.elf(TestBuildId));
    RunOptions O = {.Seed = 8,
                    .Instructions = 60000,
                    .PsbBytes = 4000,
                    .CycEvery = 64,
                    .CbrRatio = Cbr,
                    .NominalRatio = 13};
    Execution X = run(P, O);
    Recording R = recording(P, Elf, {X});
    auto worst = [&](Trace &T) {
      decode(R, 0, T);
      checkSame(T.PCs[0], X.PCs);
      uint64_t Worst = 0;
      for (size_t I = 0; I < T.Order.size(); ++I)
        Worst = std::max(Worst, uint64_t(std::abs(int64_t(T.Order[I].Time -
                                                          O.FirstTsc - I))));
      return Worst;
    };
    auto time = [](const Trace &T) {
      for (const auto &[Key, Text] : T.Header.Notes)
        if (Key == "time")
          return Text;
      return std::string();
    };
    Trace Measured;
    EXPECT_LT(worst(Measured), 300u);
    EXPECT_TRUE(StringRef(time(Measured))
                    .contains("1300 MHz, which follows from the TSC packets"))
        << time(Measured);
    // With one TSC packet there is nothing to compare cycles with.
    RunOptions OneSync = O;
    OneSync.Instructions = 5000;
    OneSync.PsbBytes = 1 << 30;
    Trace Lost;
    decode(recording(P, Elf, {run(P, OneSync)}), 0, Lost);
    EXPECT_EQ(time(Lost),
              "as of the last TSC packet: CYC packets are not used, "
              "the trace does not tell their frequency");
    // A bundle tells how fast the TSC is: 1.3 GHz.
    TimeConversion C{0, uint32_t(std::lround(std::ldexp(1 / 1.3, 31))), 31};
    R.NominalFrequency = nominalRatio(C);
    R.FrequencyFrom = Recording::Implied;
    EXPECT_EQ(R.NominalFrequency, 13u);
    Trace T;
    EXPECT_LT(worst(T), 300u);
    EXPECT_TRUE(StringRef(time(T)).contains("nominal 1300 MHz")) << time(T);
    // They are no clock ticks.
    EXPECT_EQ(llvm::count_if(T.Events,
                             [](const EventItem &E) {
                               return E.Kind == EventKind::ClockTick;
                             }),
              int64_t(X.Psbs));
  }
}

TEST(Threads, MergedByTime) {
  Program P = Program::random(7);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  std::vector<Execution> Runs;
  for (unsigned T = 0; T < 5; ++T)
    Runs.push_back(run(P, {.Seed = T + 1,
                           .MtcEvery = 20,
                           .FirstTsc = (1 << 20) + 1000 * T,
                           .TscPerInsn = 1.0 + T}));
  Recording R = recording(P, Elf, Runs);
  R.Time = TimeConversion{5, 1u << 31, 32}; // half a nanosecond
  std::string First;
  for (size_t PieceBytes : {size_t(1) << 40, size_t(1)}) {
    Trace T;
    decode(R, PieceBytes, T);
    ASSERT_EQ(T.Header.Threads.size(), 5u);
    EXPECT_EQ(T.Header.TimeUnit, "ns");
    for (unsigned I = 0; I < 5; ++I)
      checkSame(T.PCs[I], Runs[I].PCs);
    // Trace's consume checks that time does not go backwards.
    EXPECT_EQ(T.Order.front().Time, 5 + (1u << 19));
    EXPECT_GT(T.LastTime, 5 + (1u << 19) + 5000 * 4 / 2);
  }
}

} // namespace rw::intelpt
