//===- DamageTest.cpp - Packets that are not what they were ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "PerfWriter.h"
#include "Synth.h"

using namespace llvm;

namespace rw::intelpt {

/// Reads it, and looks at what there must be whatever the damage.
static bool survives(const Recording &R, size_t PieceBytes, const Program &P,
                     Trace &T) {
  ReaderOptions Options;
  Options.ChunkBytes = PieceBytes;
  Options.Threads = 2;
  auto Reader = makeReader(R, Options);
  if (Error E = Reader->read(T)) {
    EXPECT_FALSE(toString(std::move(E)).empty());
    return false;
  }
  for (auto &[Thread, PCs] : T.PCs)
    for (uint64_t PC : PCs)
      if (PC < P.Base || PC >= P.Base + P.Code.size()) {
        ADD_FAILURE() << "an instruction where there is no code";
        return true;
      }
  return true;
}

TEST(Damage, FlippedBits) {
  Program P = Program::random(9);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Execution X = run(P, {.Seed = 9, .Instructions = 2000, .MtcEvery = 100});
  Recording Good = recording(P, Elf, {X});
  std::mt19937 Rng(1);
  size_t Read = 0, Gaps = 0;
  for (unsigned N = 0; N < 1000; ++N) {
    Recording R = Good;
    auto &Bytes = R.Buffers[0].Bytes;
    for (unsigned Flips = 1 + Rng() % 8; Flips; --Flips)
      Bytes[Rng() % Bytes.size()] ^= uint8_t(1u << Rng() % 8);
    if (N % 3 == 0)
      Bytes.resize(Rng() % Bytes.size());
    Trace T;
    Read += survives(R, N % 2 ? 1 : 0, P, T);
    Gaps += T.Header.NumMalformed != 0;
  }
  EXPECT_GT(Read, 900u);
  EXPECT_GT(Gaps, 300u);
}

TEST(Damage, Truncated) {
  Program P = Program::random(10);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Execution X = run(P, {.Seed = 10, .Instructions = 1500});
  Recording R = recording(P, Elf, {X});
  for (size_t Size = X.Packets.size(); Size > 3; Size -= 3) {
    R.Buffers[0].Bytes.resize(Size);
    Trace T;
    if (!survives(R, 1, P, T))
      continue;
    // All but what comes after the last decision is as it was.
    auto &PCs = T.PCs[0];
    size_t N = std::min(PCs.size(), X.PCs.size()), I = 0;
    while (I < N && PCs[I] == X.PCs[I])
      ++I;
    ASSERT_GE(I + 70, PCs.size()) << "cut to " << Size;
  }
}

/// The packets of another program, or no packets at all.
TEST(Damage, Swapped) {
  Program P = Program::random(10), Q = Program::random(11);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Execution X = run(Q, {.Seed = 10});
  Trace T;
  if (survives(recording(P, Elf, {X}), 0, P, T)) {
    EXPECT_GT(T.Header.NumMalformed, 0u);
    EXPECT_FALSE(T.Events.empty());
  }
  std::mt19937 Rng(1);
  for (unsigned N = 0; N < 200; ++N) {
    for (uint8_t &B : X.Packets)
      B = uint8_t(Rng());
    for (size_t K = 0; K < 16; ++K) // one PSB
      X.Packets[K] = K % 2 ? 0x82 : 0x02;
    X.Packets[16] = 0x02; // and its end
    X.Packets[17] = 0x23;
    Trace Noise;
    survives(recording(P, Elf, {X}), 0, P, Noise);
  }
}

/// Code that is not there costs what ran in it, and little else.
TEST(Damage, MissingCode) {
  for (bool Compress : {false, true}) {
    Program P = Program::random(12, 0x401000, 200), Half = P;
    Half.Code.resize(P.Code.size() / 2);
    TempDir Dir;
    std::string Elf = Dir.write("program", Half.elf(TestBuildId));
    Execution X =
        run(P, {.Seed = 12, .PsbBytes = 1000, .CompressReturns = Compress});
    std::vector<uint64_t> There;
    for (uint64_t PC : X.PCs)
      if (PC + P.Insns.at(PC).Size <= P.Base + Half.Code.size())
        There.push_back(PC);
    ASSERT_GT(There.size(), 1000u);
    ASSERT_LT(There.size(), X.PCs.size());
    std::vector<uint64_t> Whole;
    for (size_t PieceBytes : {size_t(1) << 40, size_t(1)}) {
      Trace T;
      ASSERT_TRUE(survives(recording(Half, Elf, {X}), PieceBytes, Half, T));
      EXPECT_GT(T.Header.NumMalformed, 10u);
      // In order, and nothing that did not happen.
      const std::vector<uint64_t> &Got = T.PCs[0];
      // Between two gaps is what ran in one piece.
      auto At = X.PCs.begin();
      for (size_t N = 0, E = 0; N < Got.size();) {
        size_t End = Got.size();
        for (; E < T.Events.size(); ++E)
          if (T.Events[E].Kind == EventKind::Gap && T.Events[E].Before > N) {
            End = T.Events[E].Before;
            break;
          }
        auto Where =
            std::search(At, X.PCs.end(), Got.begin() + N, Got.begin() + End);
        ASSERT_NE(Where, X.PCs.end());
        At = Where + (End - N);
        N = End;
      }
      EXPECT_GT(Got.size(), There.size() * (Compress ? 3 : 5) / 10);
      if (!Whole.empty())
        checkSame(Got, Whole);
      Whole = Got;
    }
  }
}

/// Code that goes round without a decision is no endless loop for us.
TEST(Damage, EndlessCode) {
  Program P;
  P.Base = 0x401000;
  P.Entries = {0x401000};
  P.Code = {0x90, 0xeb, 0xfd, 0x0f, 0x05};
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  Program Other = Program::random(10);
  Execution X = run(Other, {.Seed = 10});
  Trace T;
  survives(recording(P, Elf, {X}), 1, P, T);
  Trace U;
  survives(recording(P, Elf, {X}), 0, P, U);
}

} // namespace rw::intelpt
