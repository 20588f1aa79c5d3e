//===- MalformedTest.cpp - Damaged dumps ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include <gtest/gtest.h>

namespace rw::htm::test {
namespace {

constexpr uint64_t Text = 0x10000600, Data = 0x3fff80001234;

/// ld r4,0(r9); nop; std r5,8(r9); pli; b .
Words p10Program() {
  Words W = {uint64_t(0xACEFF0) << 40};
  line(W, Text, 0x40000000);
  load(W, 0xe8890000, Text, Data, 0x7000001234);
  insn(W, 0x60000000, Text + 4);
  load(W, 0xf8a90008, Text + 8, Data + 8, 0x700000123c);
  W.insert(W.end(), {p10Info(0x38600005, Text + 12, 0, true), Msr,
                     uint64_t(0x06000000) << 32});
  insn(W, 0x48000000, Text + 20);
  insn(W, 0x48000000, Text + 20);
  return W;
}
constexpr uint64_t P10EAs[] = {Text,      Text + 4,  Text + 8,
                               Text + 12, Text + 20, Text + 20};

void expectProgram(const Decoded &D) {
  EXPECT_EQ(D.Failure, "");
  ASSERT_EQ(D.Insns.size(), 6u);
  for (unsigned I = 0; I < 6; ++I)
    EXPECT_EQ(D.Insns[I].EA, P10EAs[I]) << I;
  EXPECT_EQ(D.Insns[0].Opcode, 0xe8890000u);
  EXPECT_EQ(D.Insns[2].Opcode, 0xf8a90008u);
  EXPECT_EQ(D.Insns[3].Opcode, 0x38600005u);
  EXPECT_EQ(D.Insns[4].Opcode, 0x48000000u);
}

size_t indexOf(const Words &W, uint64_t Word) {
  auto It = std::find(W.begin(), W.end(), Word);
  EXPECT_NE(It, W.end());
  return size_t(It - W.begin());
}

TEST(Malformed, TheProgramIsWellFormed) {
  Decoded D = decode(p10Program());
  expectProgram(D);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
  EXPECT_EQ(D.Insns[3].Prefix, 0x06000000u);
}

TEST(Malformed, NotADump) {
  EXPECT_NE(decode(Words{}).Failure.find("not a Core HTM dump"),
            std::string::npos);
  EXPECT_NE(decode(Words(100, 0x123456789)).Failure, "");
  std::vector<uint8_t> One = {0x42};
  EXPECT_NE(decode(llvm::ArrayRef<uint8_t>(One)).Failure, "");
  // Zero words are padding, and only that.
  EXPECT_NE(decode(Words(100, 0)).Failure, "");
}

TEST(Malformed, EveryLengthInBytes) {
  std::vector<uint8_t> Bytes = bytesOf(p10Program());
  size_t Before = 0;
  for (size_t N = 8; N <= Bytes.size(); ++N) {
    Decoded D = decode(llvm::ArrayRef(Bytes).take_front(N));
    EXPECT_EQ(D.Failure, "");
    EXPECT_GE(D.Insns.size(), Before);
    EXPECT_LE(D.Insns.size(), Before + 1);
    for (size_t I = 0; I < D.Insns.size(); ++I)
      EXPECT_EQ(D.Insns[I].EA, P10EAs[I]);
    EXPECT_GE(D.damages(Damage::Truncated), unsigned(N % 8 != 0)) << N;
    Before = D.Insns.size();
  }
  EXPECT_EQ(Before, 6u);
}

TEST(Malformed, InstructionAtTheEndWithoutMsr) {
  Words W;
  line(W, Text, 0x40000000);
  W.push_back(p10Info(0x60000000, Text));
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 1u);
  EXPECT_FALSE(D.Insns[0].has(Instruction::MsrKnown));
  EXPECT_EQ(D.damages(Damage::Truncated), 1u);
}

/// Whatever single word is lost, no instruction is but the one whose INFO word
/// it was, and none is invented.
TEST(Malformed, AnyOneWordLostP10) {
  Words W = p10Program();
  for (size_t Lost = 1; Lost < W.size(); ++Lost) {
    SCOPED_TRACE(Lost);
    Words Less = W;
    Less.erase(Less.begin() + Lost);
    Decoded D = decode(Less);
    EXPECT_EQ(D.Failure, "");
    bool Info = tagOf(W[Lost]) == P10Tag && p10Type(W[Lost]) == P10Type::Info;
    ASSERT_EQ(D.Insns.size(), 6u - Info);
    EXPECT_GE(D.Sum.numDamages(), 1u);
    // What is after the loss has no place, as there is no other address.
    size_t Word = 0, K = 0;
    for (const Instruction &I : D.Insns) {
      Word = I.Offset / 8;
      EXPECT_EQ(I.has(Instruction::AddressKnown), Word < Lost) << Word;
      if (Word < Lost) {
        EXPECT_EQ(I.EA, P10EAs[K++]);
      }
    }
  }
}

TEST(Malformed, MissingDataWords) {
  Words W = p10Program();
  size_t At = indexOf(W, Data);
  W.erase(W.begin() + At, W.begin() + At + 2);
  Decoded D = decode(W);
  expectProgram(D);
  EXPECT_EQ(D.Insns[0].NumData, 0u);
  EXPECT_EQ(D.Insns[2].NumData, 1u);
  EXPECT_TRUE(D.Insns[0].has(Instruction::Damaged));
  EXPECT_EQ(D.damages(Damage::LostWords), 1u);
}

TEST(Malformed, MissingMsr) {
  Words W = p10Program();
  W.erase(W.begin() + indexOf(W, p10Info(0x60000000, Text + 4)) + 1);
  Decoded D = decode(W);
  expectProgram(D);
  EXPECT_FALSE(D.Insns[1].has(Instruction::MsrKnown));
}

TEST(Malformed, SurplusWordAnywhere) {
  const uint64_t Junk = 0x1234567812345678;
  Words W = p10Program();
  for (size_t At = 1; At <= W.size(); ++At) {
    SCOPED_TRACE(At);
    Words More = W;
    More.insert(More.begin() + At, Junk);
    // In an IEARA nobody can tell which of the words is the right one.
    if (At == 2 || At == 3)
      continue;
    Decoded D = decode(More);
    expectProgram(D);
    EXPECT_GE(D.Sum.numDamages(), 1u);
  }
}

TEST(Malformed, UndefinedStampAnywhere) {
  Words W = p10Program();
  for (size_t At = 1; At <= W.size(); ++At) {
    SCOPED_TRACE(At);
    Words More = W;
    More.insert(More.begin() + At, uint64_t(0xACEFF5) << 40);
    Decoded D = decode(More);
    expectProgram(D);
    EXPECT_EQ(D.damages(Damage::UndefinedStamp), 1u);
    EXPECT_EQ(D.Sum.numDamages(), 1u);
  }
}

TEST(Malformed, StampsBetweenAllWords) {
  Words W = p10Program(), More;
  for (uint64_t Word : W) {
    More.push_back(Word);
    for (unsigned I = 0; I < 3; ++I)
      More.push_back(time(5));
  }
  for (size_t Window : {0, 256}) {
    Decoded D = decode(More, Window);
    expectProgram(D);
    EXPECT_EQ(D.Sum.numDamages(), 0u);
    EXPECT_EQ(D.Sum.Cycles, W.size() * 3 * 5);
    EXPECT_EQ(D.Insns[0].Data[0], Data);
    EXPECT_EQ(D.Insns[0].DataRA[0], 0x7000001234u);
  }
}

TEST(Malformed, AMillionStampsInsideAGroup) {
  Words W;
  line(W, Text, 0x40000000);
  W.push_back(p10Info(0xe8890000, Text, 1));
  W.push_back(Msr);
  W.insert(W.end(), 1000000, time(1));
  W.insert(W.end(), {Data, dra(0x7000001234)});
  insn(W, 0x60000000, Text + 4);
  Decoded D = decode(W, 256);
  ASSERT_EQ(D.Insns.size(), 2u);
  EXPECT_EQ(D.Insns[0].Data[0], Data);
  EXPECT_EQ(D.Sum.Cycles, 1000000u);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
}

TEST(Malformed, MarksInsideAGroupAreBounded) {
  Words W;
  line(W, Text, 0x40000000);
  W.push_back(p10Info(0x60000000, Text));
  W.insert(W.end(), 10000, uint64_t(0xACEFF3) << 40 | 7 << 11);
  W.push_back(Msr);
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 1u);
  EXPECT_EQ(D.Events.size() + D.Sum.DroppedEvents, 10000u);
  EXPECT_LE(D.Events.size(), 5000u);
}

TEST(Malformed, UnknownWordsAtTheTop) {
  Words W = p10Program();
  W.insert(W.begin() + indexOf(W, p10Info(0x60000000, Text + 4)), 1000,
           0x5555555555555555);
  Decoded D = decode(W);
  expectProgram(D);
  EXPECT_EQ(D.damages(Damage::UnknownWords), 1u);
}

TEST(Malformed, ManyErrorsInARow) {
  Words W = p10Program();
  for (unsigned I = 0; I < 5000; ++I)
    W.insert(W.begin() + 1, uint64_t(0xACEFF6) << 40 | I);
  Decoded D = decode(W);
  expectProgram(D);
  EXPECT_EQ(D.damages(Damage::UndefinedStamp), 5000u);
  EXPECT_LE(D.Sum.Problems.size(), 100u);
}

TEST(Malformed, NoAddressBeforeTheFirstIEARA) {
  Words W;
  insn(W, 0x60000000, 0x40);
  insn(W, 0x60000000, 0x44);
  line(W, Text, 0x40000000);
  insn(W, 0x60000000, Text);
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 3u);
  EXPECT_FALSE(D.Insns[0].has(Instruction::AddressKnown));
  EXPECT_FALSE(D.Insns[1].has(Instruction::AddressKnown));
  EXPECT_TRUE(D.Insns[2].has(Instruction::AddressKnown));
  EXPECT_EQ(D.Sum.Unplaced, 2u);
}

TEST(Malformed, GapsForgetTheAddress) {
  // PAUSE, RECORD, a mark after lost ones, lost records, a lost trigger.
  for (uint64_t Stamp :
       {uint64_t(0xACEFF2) << 40, uint64_t(0xACEFF0) << 40,
        uint64_t(0xACEFF3) << 40 | 1, uint64_t(0xACEFFA0) << 36,
        uint64_t(0xACEFF84) << 36, uint64_t(0xACEFF90) << 36}) {
    Words W;
    line(W, Text, 0x40000000);
    insn(W, 0x60000000, Text);
    W.push_back(Stamp);
    insn(W, 0x60000000, Text + 4);
    line(W, Text, 0x40000000);
    insn(W, 0x60000000, Text + 8);
    Decoded D = decode(W);
    ASSERT_EQ(D.Insns.size(), 3u);
    EXPECT_FALSE(D.Insns[1].has(Instruction::AddressKnown));
    EXPECT_EQ(D.Insns[2].EA, Text + 8);
    ASSERT_EQ(D.Events.size(), 1u);
    EXPECT_EQ(D.Events[0].first, 1u);
    EXPECT_TRUE(D.Events[0].second.What.Gap);
  }
}

/// The instructions of the first ones did not complete.
TEST(Malformed, SeveralIEARAsInARow) {
  for (uint64_t Page : {0x40000000, 0}) {
    Words W;
    for (unsigned N = 0; N < 3; ++N) {
      line(W, Text, Page);
      insn(W, 0x60000000, Text + 0x7c);
      line(W, Text + 0x80, Page);
      line(W, Text + 0x80, Page);
      insn(W, 0x60000000, Text + 0x80);
      W.push_back(time(1));
      insn(W, 0x48000000, Text + 0x84);
    }
    Decoded D = decode(W);
    ASSERT_EQ(D.Insns.size(), 9u);
    EXPECT_EQ(D.Insns[4].EA, Text + 0x80);
    EXPECT_EQ(D.Sum.numDamages(), 0u);
    EXPECT_GT(D.ByBlocks, 30u);
    // At the beginning of a run, too.
    W.erase(W.begin(), W.begin() + 5);
    EXPECT_EQ(decode(W).Insns.size(), 8u);
  }
}

TEST(Malformed, MarkWithReservedBits) {
  Words W = p10Program();
  W.insert(W.begin() + 8, uint64_t(0xACEFF3) << 40 | 2);
  Decoded D = decode(W);
  expectProgram(D);
  EXPECT_EQ(D.damages(Damage::ReservedBits), 1u);
}

TEST(Malformed, WalksWithoutNumberAndEnd) {
  const uint64_t Header = 0x1abcdf00, End = uint64_t(1) << 56;
  Words W = {};
  for (unsigned I = 0; I < 60; ++I)
    W.insert(W.end(), {Header, 0x1c00000001e50300, 0xb000000000001000, End});
  line(W, Text, 0x40000000);
  for (unsigned I = 0; I < 60; ++I)
    W.insert(W.end(), {Header | uint64_t(1) << 63, 0x1c00000001e50300,
                       0xb000000000001000, End});
  insn(W, 0x60000000, Text);
  // 40 entries: more than there can be.
  W.push_back(Header);
  W.insert(W.end(), 40, 0x1c00000001e50300);
  W.push_back(End);
  insn(W, 0x60000000, Text + 4);
  // No terminator.
  W.insert(W.end(), {Header, 0x1c00000001e50300, 0x1c00000001e50308});
  insn(W, 0x60000000, Text + 8);
  Translator T;
  Decoded D = decode(W, 0, &T);
  ASSERT_EQ(D.Insns.size(), 3u);
  EXPECT_EQ(D.Insns[2].EA, Text + 8);
  EXPECT_EQ(D.damages(Damage::LongWalk), 1u);
  EXPECT_EQ(D.damages(Damage::LostWords), 1u);
}

TEST(Malformed, AddressesThatLookLikeStampsAndRecords) {
  for (uint64_t Dea : std::initializer_list<uint64_t>{
           0xACEFF80000001230, 0x3fff0abcdf80, 0x1abcdf00, 0xc00000002abcdf08,
           0xACEFF51234567890}) {
    SCOPED_TRACE(Dea);
    Words W;
    line(W, Text, 0x40000000);
    load(W, 0xe8890000, Text, Dea, 0x7000001000);
    insn(W, 0x60000000, Text + 4);
    Decoded D = decode(W);
    ASSERT_EQ(D.Insns.size(), 2u);
    EXPECT_EQ(D.Insns[0].Data[0], Dea);
    EXPECT_EQ(D.Insns[1].EA, Text + 4);
    EXPECT_EQ(D.Sum.numDamages(), 0u);
  }
}

TEST(Malformed, AnInstructionThatLooksLikeAStamp) {
  // lhau r7,-2048(r15) with and without stamps around it.
  Words W;
  line(W, Text, 0x40000000);
  load(W, 0xacefF800, Text, Data, 0x7000001000);
  insn(W, 0x60000000, Text + 4);
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 2u);
  EXPECT_EQ(D.Insns[0].Opcode, 0xaceff800u);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
}

//===----------------------------------------------------------------------===//
// POWER8

/// ld; nop; std; b .
Words p8Program() {
  return {uint64_t(0xACEFF0) << 40,
          p8Info(0xe8890000, Text, {true, true, true, true}),
          Text | 1,
          (uint64_t(0x700000000) + 0x10000000) >> 12 << 26 | 2 << 24,
          Data,
          uint64_t(1) << 62 | uint64_t(0x800000000) >> 12 << 24,
          p8Info(0x60000000, Text + 4),
          p8Info(0xf8a90008, Text + 8, {false, false, true, true}),
          Data + 8,
          uint64_t(1) << 62 | uint64_t(0x800000000) >> 12 << 24,
          p8Info(0x48000000, Text + 12),
          p8Info(0x48000000, Text + 12, {true, false, false, false}),
          (Text + 12) | 1};
}
constexpr uint64_t P8EAs[] = {Text, Text + 4, Text + 8, Text + 12, Text + 12};

void expectP8(const Decoded &D) {
  EXPECT_EQ(D.Failure, "");
  ASSERT_EQ(D.Insns.size(), 5u);
  for (unsigned I = 0; I < 5; ++I)
    EXPECT_EQ(D.Insns[I].EA, P8EAs[I]) << I;
  EXPECT_EQ(D.Insns[2].Opcode, 0xf8a90008u);
  EXPECT_EQ(D.Insns[4].Opcode, 0x48000000u);
}

TEST(Malformed, TheP8ProgramIsWellFormed) {
  Decoded D = decode(p8Program());
  expectP8(D);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
  EXPECT_EQ(D.Insns[0].RA, 0x710000600u);
  EXPECT_EQ(D.Insns[1].RA, 0x710000604u);
  EXPECT_EQ(D.Insns[0].DataRA[0], 0x800001234u);
  EXPECT_EQ(D.Insns[0].PageShift, 16u);
}

TEST(Malformed, AnyOneWordLostP8) {
  Words W = p8Program();
  for (size_t Lost = 1; Lost < W.size(); ++Lost) {
    SCOPED_TRACE(Lost);
    Words Less = W;
    Less.erase(Less.begin() + Lost);
    Decoded D = decode(Less);
    EXPECT_EQ(D.Failure, "");
    bool Info = tagOf(W[Lost]) == P8Tag;
    ASSERT_EQ(D.Insns.size(), 5u - Info);
    // A record of a single word leaves no trace.
    if (Lost == 6 || Lost == 10)
      continue;
    size_t Record = Lost;
    while (tagOf(W[Record]) != P8Tag)
      --Record;
    size_t K = 0;
    for (size_t At = 0; At < W.size(); ++At) {
      if (tagOf(W[At]) != P8Tag || At == Lost)
        continue;
      const Instruction &I = D.Insns[K];
      const uint64_t EA = P8EAs[K + (Info && Lost < At)];
      ++K;
      // One with an address of its own is in doubt if it is damaged.
      const bool Placed = bit(W[At], 57) ? At != Record : At <= Record;
      ASSERT_EQ(I.has(Instruction::AddressKnown), Placed) << At;
      if (Placed) {
        EXPECT_EQ(I.EA, EA);
      }
    }
  }
}

TEST(Malformed, P8AddressThatLooksLikeARecord) {
  for (uint64_t Dea : {0x3fff0abcde80u, 0xc00000000abcde80u, 0x3fff0abcdec0u}) {
    Words W = p8Program();
    W[4] = Dea;
    Decoded D = decode(W);
    expectP8(D);
    EXPECT_EQ(D.Insns[0].Data[0], Dea);
    EXPECT_EQ(D.Sum.numDamages(), 0u);
  }
}

TEST(Malformed, P8OpcodeZeroAndInvalid) {
  Words W = p8Program();
  W.insert(W.begin() + 6, p8Info(0, 0));
  W.insert(W.begin() + 6, p8Info(0x60000000, 0) & ~uint64_t(0x80));
  Decoded D = decode(W);
  expectP8(D);
  EXPECT_EQ(D.damages(Damage::InvalidOpcode), 1u);
  EXPECT_EQ(D.damages(Damage::InvalidRecord), 1u);
}

TEST(Malformed, P8BadPageSizes) {
  Words W = p8Program();
  W[3] &= ~(uint64_t(3) << 24);
  W[5] = (W[5] & ~(uint64_t(3) << 62)) | uint64_t(2) << 62;
  Decoded D = decode(W);
  expectP8(D);
  EXPECT_EQ(D.Insns[0].RA, NoAddress);
  EXPECT_EQ(D.Insns[0].Data[0], Data);
  EXPECT_EQ(D.Insns[0].DataRA[0], NoAddress);
  EXPECT_EQ(D.damages(Damage::BadPageSize), 2u);
}

TEST(Malformed, P8NoAddressBeforeTheFirstIEA) {
  Words W = p8Program();
  W.erase(W.begin(), W.begin() + 6);
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 4u);
  EXPECT_FALSE(D.Insns[0].has(Instruction::AddressKnown));
  EXPECT_TRUE(D.Insns[3].has(Instruction::AddressKnown));
}

TEST(Malformed, BothGenerationsInOneFile) {
  Words W = p10Program(), P8 = p8Program();
  W.insert(W.end(), P8.begin(), P8.end());
  Decoded D = decode(W);
  ASSERT_EQ(D.Insns.size(), 11u);
  EXPECT_EQ(D.Sum.P8Instructions, 5u);
  EXPECT_EQ(D.Sum.numDamages(), 0u);
}

} // namespace
} // namespace rw::htm::test
