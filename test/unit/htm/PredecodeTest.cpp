//===- PredecodeTest.cpp - Recoded branches -------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/Predecode.h"
#include "Encode.h"
#include "core/arch/PPCInsn.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <gtest/gtest.h>
#include <random>

namespace rw::htm::test {

namespace {
unsigned modeOf(int64_t Distance) {
  EXPECT_TRUE(Distance >= -1 && Distance <= 1);
  return Distance == 0 ? 0 : Distance == 1 ? 1 : 3;
}
struct Fields {
  uint32_t LK, AA, BO, BI, BH, XO, Major;
  explicit Fields(uint32_t Op)
      : LK(Op & 1), AA(Op >> 1 & 1), BO(Op >> 21 & 31), BI(Op >> 16 & 31),
        BH(Op >> 11 & 3), XO(Op >> 1 & 0x3ff), Major(Op >> 26) {}
};
uint64_t target(const Fields &F, uint32_t Op, uint64_t EA) {
  int64_t D = F.Major == 18 ? llvm::SignExtend64<26>(Op & 0x03fffffc)
                            : llvm::SignExtend64<16>(Op & 0xfffc);
  return (F.AA ? 0 : EA) + uint64_t(D);
}
} // namespace

bool isRecoded(uint32_t Op) {
  Fields F(Op);
  return F.Major == 16 || F.Major == 18 ||
         (F.Major == 19 && (F.XO == 16 || F.XO == 528 || F.XO == 560));
}

uint32_t mungeP10(uint32_t Op, uint64_t EA) {
  Fields F(Op);
  uint64_t T = target(F, Op, EA);
  if (F.Major == 18) {
    unsigned Mode = F.AA ? 2 : modeOf(int64_t((T >> 26) - (EA >> 26)));
    uint32_t Field = T >> 2 & 0xffffff;
    return F.LK << 30 | Mode << 28 | Field >> 17 << 21 | 1 << 18 |
           (Field & 0x1ffff);
  }
  uint32_t BOBI =
      F.BO >> 1 << 23 | F.BI >> 4 << 21 | (F.BO & 1) << 18 | (F.BI & 15) << 13;
  if (F.Major == 16) {
    unsigned Mode = F.AA ? 2 : modeOf(int64_t((T >> 16) - (EA >> 16)));
    uint32_t Field = T >> 2 & 0x3fff;
    return F.LK << 30 | Mode << 28 | Field >> 13 << 27 | BOBI | 1 << 19 |
           (Field & 0x1fff);
  }
  uint32_t Base = 0x28000000 | F.LK << 30 | BOBI | F.BH << 9;
  if (F.XO == 16)
    return Base | 2 << 19 | 0x20;
  return Base | 3 << 19 | (F.XO == 528 ? 0x120 : 0x960);
}

uint32_t mungeP8(uint32_t Op, uint64_t EA) {
  Fields F(Op);
  uint64_t T = target(F, Op, EA);
  uint32_t BOBI = F.BO << 5 | F.BI;
  if (F.Major == 18) {
    unsigned Mode = F.AA ? 2 : modeOf(int64_t((T >> 26) - (EA >> 26)));
    return F.LK << 30 | Mode << 26 | (T & 0x03fffffc) | 2;
  }
  if (F.Major == 16) {
    unsigned Mode = F.AA ? 2 : modeOf(int64_t((T >> 16) - (EA >> 16)));
    uint32_t D = T & 0xfffc;
    return F.LK << 30 | 1 << 28 | Mode << 26 | D >> 15 << 25 | BOBI << 15 |
           (D & 0x7ffc);
  }
  if (F.XO == 16)
    return F.LK << 30 | 2 << 28 | BOBI << 15 | F.BH << 11 | 0x20;
  return F.LK << 30 | 3u << 28 | BOBI << 15 | F.BH << 11 |
         (F.XO == 528 ? 0x420 : 0x2460);
}

std::vector<uint8_t> bytesOf(const Words &W) {
  std::vector<uint8_t> Bytes(W.size() * 8);
  for (size_t I = 0; I < W.size(); ++I)
    llvm::support::endian::write64be(&Bytes[8 * I], W[I]);
  return Bytes;
}

namespace {
/// Decoded by blocks where they are known.
struct DecodedBlocks : Decoded {
  bool takesBlocks() const override { return true; }
  llvm::Error batch(const Batch &B) override {
    EXPECT_TRUE(B.Instructions.empty() || B.Executions.empty());
    if (B.Executions.empty())
      return Decoded::batch(B);
    size_t Event = 0, Data = 0;
    auto eventsUpTo = [&](size_t Item) {
      for (; Event < B.Events.size() && B.Events[Event].Before <= Item; ++Event)
        Events.push_back({Insns.size(), B.Events[Event]});
    };
    for (size_t K = 0; K < B.Executions.size(); ++K) {
      eventsUpTo(K);
      const Execution &E = B.Executions[K];
      EXPECT_EQ(E.FirstData, Data);
      Data += E.Block->NumData;
      expand(B, E, Insns);
      ByBlocks += E.Block->NumInsns;
    }
    eventsUpTo(B.Executions.size());
    EXPECT_EQ(Event, B.Events.size());
    EXPECT_EQ(Data, B.Data.size());
    return llvm::Error::success();
  }
};

void decodeInto(Decoded &D, llvm::ArrayRef<uint8_t> Bytes, size_t Window,
                Translator *T) {
  DecoderOptions O;
  O.Translate = T;
  if (Window)
    O.WindowWords = Window;
  size_t At = 0;
  HtmDecoder H(
      [&](uint8_t *Buffer, size_t Size) -> llvm::Expected<size_t> {
        Size = std::min(Size, Bytes.size() - At);
        std::copy_n(Bytes.begin() + At, Size, Buffer);
        At += Size;
        return Size;
      },
      D, O);
  if (llvm::Error E = H.run())
    D.Failure = llvm::toString(std::move(E));
  D.Sum = H.summary();
}

void expectSame(const Instruction &A, const Instruction &B) {
  auto asTuple = [](const Instruction &I) {
    return std::tuple(I.EA, I.RA, I.Time, I.Offset, I.Opcode, I.Prefix, I.Flags,
                      I.Msr, I.NumData, I.PageShift,
                      I.has(Instruction::ContextKnown) ? I.Context : 0);
  };
  EXPECT_EQ(asTuple(A), asTuple(B)) << std::hex << A.EA << " " << B.EA;
  for (unsigned N = 0; N < A.NumData; ++N) {
    EXPECT_EQ(A.Data[N], B.Data[N]);
    EXPECT_EQ(A.DataRA[N], B.DataRA[N]);
    EXPECT_EQ(A.DataPageShift[N], B.DataPageShift[N]);
  }
}

/// By blocks it is the same.
void expectSame(const Decoded &A, const Decoded &B) {
  EXPECT_EQ(A.Failure, B.Failure);
  ASSERT_EQ(A.Insns.size(), B.Insns.size());
  for (size_t K = 0; K < A.Insns.size() && !testing::Test::HasFailure(); ++K)
    expectSame(A.Insns[K], B.Insns[K]);
  ASSERT_EQ(A.Events.size(), B.Events.size());
  for (size_t K = 0; K < A.Events.size(); ++K) {
    EXPECT_EQ(A.Events[K].first, B.Events[K].first);
    EXPECT_EQ(A.Events[K].second.What.Word, B.Events[K].second.What.Word);
    EXPECT_EQ(A.Events[K].second.Time, B.Events[K].second.Time);
    EXPECT_EQ(A.Events[K].second.Offset, B.Events[K].second.Offset);
  }
  EXPECT_EQ(A.Sum.Words, B.Sum.Words);
  EXPECT_EQ(A.Sum.Instructions, B.Sum.Instructions);
  EXPECT_EQ(A.Sum.P8Instructions, B.Sum.P8Instructions);
  EXPECT_EQ(A.Sum.Cycles, B.Sum.Cycles);
  EXPECT_EQ(A.Sum.Gaps, B.Sum.Gaps);
  EXPECT_EQ(A.Sum.Unplaced, B.Sum.Unplaced);
  for (unsigned K = 0; K < unsigned(Damage::NumKinds); ++K)
    EXPECT_EQ(A.Sum.Damages[K], B.Sum.Damages[K]) << describe(Damage(K));
}
} // namespace

Decoded decode(llvm::ArrayRef<uint8_t> Bytes, size_t Window, Translator *T) {
  Decoded D;
  decodeInto(D, Bytes, Window, T);
  if (!T) {
    DecodedBlocks B;
    decodeInto(B, Bytes, Window, nullptr);
    expectSame(D, B);
    // Again and again: now all that is not odd is known, but for the end.
    const llvm::ArrayRef<uint8_t> Whole = Bytes.drop_back(Bytes.size() % 8);
    std::vector<uint8_t> More(Whole.begin(), Whole.end());
    do
      More.insert(More.end(), Whole.begin(), Whole.end());
    while (!Whole.empty() && More.size() < 4096);
    More.insert(More.end(), Bytes.begin(), Bytes.end());
    Decoded D2;
    DecodedBlocks B2;
    decodeInto(D2, More, 0, nullptr);
    decodeInto(B2, More, 0, nullptr);
    expectSame(D2, B2);
    D.ByBlocks = B2.ByBlocks;
  }
  return D;
}
Decoded decode(const Words &W, size_t Window, Translator *T) {
  return decode(bytesOf(W), Window, T);
}

namespace {

/// A random branch in a form that assemblers produce: the bits of BO that no
/// branch has set are 0 (ISA, BO field encodings).
uint32_t randomBranch(std::mt19937_64 &R, uint64_t EA) {
  static const unsigned BOs[] = {0,  1 * 2, 4,  6,  7,  8,  10, 12, 14,
                                 15, 16,    18, 20, 24, 25, 26, 27};
  uint32_t BO = BOs[R() % std::size(BOs)], BI = R() % 32, LK = R() % 2;
  uint32_t AA = R() % 4 == 0;
  (void)EA;
  switch (R() % 5) {
  case 0:
    return 18u << 26 | (R() & 0x03fffffc) | AA << 1 | LK;
  case 1:
    return 16u << 26 | BO << 21 | BI << 16 | (R() & 0xfffc) | AA << 1 | LK;
  case 2:
    return 0x4c000020 | BO << 21 | BI << 16 | (R() % 4) << 11 | LK;
  case 3:
    return 0x4c000420 | BO << 21 | BI << 16 | (R() % 4) << 11 | LK;
  default:
    return 0x4c000460 | BO << 21 | BI << 16 | (R() % 4) << 11 | LK;
  }
}

uint64_t randomEA(std::mt19937_64 &R) {
  // Away from the ends of the address space, where a branch would wrap.
  return (R() & 0x00007ffffffffffc) + 0x10000000000;
}

TEST(Predecode, RandomBranchesComeBackP8) {
  std::mt19937_64 R(8);
  for (unsigned I = 0; I < 100000; ++I) {
    uint64_t EA = randomEA(R);
    uint32_t Op = randomBranch(R, EA);
    ASSERT_EQ(demungeP8(mungeP8(Op, EA), EA), Op) << std::hex << EA;
  }
}

TEST(Predecode, RandomBranchesComeBackP10) {
  std::mt19937_64 R(10);
  unsigned Ambiguous = 0;
  for (unsigned I = 0; I < 100000; ++I) {
    uint64_t EA = randomEA(R);
    uint32_t Op = randomBranch(R, EA);
    uint32_t Word = mungeP10(Op, EA);
    if (isIsel(Word)) {
      ++Ambiguous;
      auto A = ambiguousP10(Word, EA);
      ASSERT_TRUE(A) << std::hex << Op;
      EXPECT_EQ(A->Opcode, Op);
      EXPECT_EQ(A->Target, *ppc::branchTarget(Op, EA));
      continue;
    }
    ASSERT_EQ(demungeP10(Word, EA), Op) << std::hex << EA << ' ' << Word;
  }
  EXPECT_GT(Ambiguous, 0u);
}

/// Whole dumps whose branches are all taken, so that what looks like
/// an isel is seen not to be one.
TEST(Predecode, TakenBranchesInADumpP10) {
  std::mt19937_64 R(11);
  Words W;
  std::vector<std::pair<uint64_t, uint32_t>> Truth;
  uint64_t EA = randomEA(R);
  unsigned LooksLikeIsel = 0;
  for (unsigned I = 0; I < 100000; ++I) {
    uint32_t Op = randomBranch(R, EA);
    line(W, EA, 0x1000);
    insn(W, Op, EA);
    LooksLikeIsel += isIsel(mungeP10(Op, EA));
    Truth.push_back({EA, Op});
    auto T = ppc::branchTarget(Op, EA);
    EA = T && (*T >> 52) == 0 && *T > 0x4000000 ? *T : randomEA(R);
    if (T && EA != *T && isIsel(mungeP10(Op, Truth.back().first)))
      Truth.back().second = mungeP10(Op, Truth.back().first);
  }
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), Truth.size());
  for (size_t I = 0; I < Truth.size(); ++I) {
    ASSERT_EQ(D.Insns[I].EA, Truth[I].first) << I;
    ASSERT_EQ(D.Insns[I].Opcode, Truth[I].second) << I;
  }
  EXPECT_GT(LooksLikeIsel, 0u);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
}

TEST(Predecode, IselStays) {
  // isel r3,r4,r5,0 is followed by the next instruction.
  Words W;
  line(W, 0x10000000, 0x1000);
  uint32_t Isel = 31u << 26 | 3 << 21 | 4 << 16 | 5 << 11 | 15 << 1;
  W.push_back(p10Info(Isel, 0x10000000) | uint64_t(1) << 31);
  W.push_back(Msr);
  insn(W, 0x60000000, 0x10000004);
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 2u);
  EXPECT_EQ(D.Insns[0].Opcode, Isel);
  EXPECT_EQ(demungeP8(Isel, 0x10000000), Isel);
}

TEST(Predecode, SystemInstructionsP10) {
  EXPECT_EQ(demungeP10(0x4c1e00a4, 0), 0x4c0000a4u); // rfscv
  EXPECT_EQ(demungeP10(0x4c1e012c, 0), 0x4c00012cu); // isync
  EXPECT_EQ(demungeP10(0x441e0002, 0), 0x44000002u); // sc
  EXPECT_EQ(demungeP10(0x2d1c0120, 0), 0x4e800420u); // bctr, bit 13 set
}

} // namespace
} // namespace rw::htm::test
