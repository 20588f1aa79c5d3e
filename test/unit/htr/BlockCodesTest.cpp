//===- BlockCodesTest.cpp - Codes of block sequences are lossless ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../bench/htr/BlockCodes.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;
using namespace rw::codes;

static void expectLossless(const std::vector<uint32_t> &Sequence,
                           uint32_t NumBlocks) {
  for (const Idea &I : ideas()) {
    SCOPED_TRACE(I.Name.str());
    Bytes Code = I.Encode(Sequence, NumBlocks);
    EXPECT_EQ(I.Decode(Code, NumBlocks), Sequence);
  }
}

TEST(BlockCodes, SmallSequencesComeBack) {
  expectLossless({}, 0);
  for (unsigned Length = 1; Length <= 5; ++Length)
    for (unsigned Code = 0; Code < 1u << 2 * Length; ++Code) {
      std::vector<uint32_t> Sequence;
      for (unsigned I = 0; I < Length; ++I)
        Sequence.push_back(Code >> 2 * I & 3);
      expectLossless(Sequence, 4);
      if (HasFailure())
        return;
    }
}

/// Loops in loops, runs of one block, and blocks at random.
TEST(BlockCodes, LongSequencesComeBack) {
  std::mt19937 Random(1);
  for (uint32_t NumBlocks : {1, 2, 5, 127, 128, 129, 1000})
    for (unsigned Round = 0; Round < 10; ++Round) {
      std::vector<uint32_t> Sequence;
      while (Sequence.size() < 2000) {
        size_t Begin =
            Random() % 2 ? Sequence.size() : Random() % (Sequence.size() + 1);
        for (unsigned I = 0, N = Random() % 8; I < N; ++I)
          Sequence.push_back(Random() % NumBlocks);
        if (Sequence.size() - Begin > 400)
          continue;
        std::vector<uint32_t> Body(Sequence.begin() + ptrdiff_t(Begin),
                                   Sequence.end());
        for (unsigned I = 0, N = Random() % 12; I < N; ++I)
          Sequence.insert(Sequence.end(), Body.begin(), Body.end());
      }
      expectLossless(Sequence, NumBlocks);
      if (HasFailure())
        return;
    }
}

TEST(BlockCodes, BlocksAreCutWhereControlComesOrLeaves) {
  // 0 4 8 12 and a jump back to 4, whose branch at 8 is taken once, too.
  std::vector<Insn> Trace;
  for (uint64_t PC : {0, 4, 8, 12, 4, 8, 4, 8, 12, 16})
    Trace.push_back({PC, 4});
  BlockTrace B = findBlocks(Trace);
  ASSERT_EQ(B.Blocks.size(), 4u); // 0, 4 8, 12, 16
  EXPECT_EQ(B.Blocks[1], (std::vector<Insn>{{4, 4}, {8, 4}}));
  EXPECT_EQ(B.Sequence, (std::vector<uint32_t>{0, 1, 2, 1, 1, 2, 3}));
  EXPECT_EQ(expand(B), Trace);
  EXPECT_EQ(decodeDescriptors(encodeDescriptors(B.Blocks)), B.Blocks);
}

/// Also of code that changes its instructions' sizes, at both ends of the
/// address space.
TEST(BlockCodes, TracesComeBack) {
  std::mt19937 Random(2);
  for (unsigned Round = 0; Round < 200; ++Round) {
    std::vector<Insn> Trace;
    uint64_t PC = 0;
    for (unsigned I = 0; I < 300; ++I) {
      if (Random() % 4 == 0)
        PC = Random() % 40 - 20;
      Trace.push_back({PC, uint8_t(Round % 2 ? 4 : 1 + Random() % 3)});
      PC += Trace.back().Size;
    }
    BlockTrace B = findBlocks(Trace);
    EXPECT_EQ(expand(B), Trace);
    EXPECT_EQ(decodeDescriptors(encodeDescriptors(B.Blocks)), B.Blocks);
    expectLossless(B.Sequence, uint32_t(B.Blocks.size()));
  }
}

TEST(BlockCodes, ZstdIsReadAgain) {
  for (const Bytes &B : {Bytes(), Bytes{7}, Bytes(100'000, 7)}) {
    std::optional<Bytes> Small = zstd(B);
    ASSERT_TRUE(Small);
    EXPECT_LT(Small->size(), 100u);
  }
}

TEST(BlockCodes, BitsOfOrderZero) {
  EXPECT_EQ(orderZeroBits({}), 0);
  // The first byte is one of 256 alike; a long row of it costs next to nothing.
  EXPECT_DOUBLE_EQ(orderZeroBits({7}), 8);
  EXPECT_LT(orderZeroBits(Bytes(100'000, 7)), 2000);
  // Bytes that nobody can foretell cost 8 bits each, and what was learnt.
  std::mt19937 Random(3);
  Bytes Noise;
  for (unsigned I = 0; I < 100'000; ++I)
    Noise.push_back(uint8_t(Random()));
  EXPECT_NEAR(orderZeroBits(Noise) / 100'000, 8, 0.05);
}
