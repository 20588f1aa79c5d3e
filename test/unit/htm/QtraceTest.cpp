//===- QtraceTest.cpp - Dumps through Qtrace and back ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "Generated.h"
#include "core/formats/htm/HtmToQtrace.h"
#include "core/formats/qtrace/QtraceReader.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace rw::htm::test {
namespace {

/// Feeds the decoder and the writer together.
std::string toQtrace(ArrayRef<uint8_t> Dump, Translator &T, Decoded &D) {
  std::string File;
  raw_string_ostream OS(File);
  struct Both : BatchSink {
    QtraceSink Q;
    Decoded &D;
    Both(raw_ostream &OS, Translator &T, Decoded &D) : Q(OS, &T), D(D) {}
    Error batch(const Batch &B) override {
      if (Error E = D.batch(B))
        return E;
      return Q.batch(B);
    }
  } Sink(OS, T, D);
  DecoderOptions O;
  O.Translate = &T;
  size_t At = 0;
  HtmDecoder H(
      [&](uint8_t *Buffer, size_t Size) -> Expected<size_t> {
        Size = std::min(Size, Dump.size() - At);
        std::copy_n(Dump.begin() + At, Size, Buffer);
        At += Size;
        return Size;
      },
      Sink, O);
  if (Error E = H.run())
    D.Failure = toString(std::move(E));
  D.Sum = H.summary();
  Sink.Q.close();
  return File;
}

ByteSource memory(const std::string &S, size_t Chunk = ~size_t(0)) {
  return [&S, At = size_t(0), Chunk](uint8_t *Buffer,
                                     size_t Size) mutable -> Expected<size_t> {
    Size = std::min({Size, S.size() - At, Chunk});
    std::copy_n(S.begin() + At, Size, Buffer);
    At += Size;
    return Size;
  };
}

/// A page number has 32 bits; of the generator's real addresses only those of
/// large pages fit.
uint64_t fitting(uint64_t RA, unsigned PageShift) {
  return RA >> (PageShift ? PageShift : 12) >> 32 ? NoAddress : RA;
}

void expectSame(const std::string &File, const Decoded &D, Translator &T) {
  qtrace::QtraceParser P(memory(File));
  qtrace::ReadInsn R;
  for (size_t N = 0; N < D.Insns.size(); ++N) {
    SCOPED_TRACE(N);
    const Instruction &I = D.Insns[N];
    Expected<bool> Got = P.next(R);
    ASSERT_TRUE(bool(Got)) << toString(Got.takeError());
    ASSERT_TRUE(*Got);
    EXPECT_EQ(R.EA, I.EA);
    EXPECT_EQ(R.Opcode, I.Opcode);
    EXPECT_EQ(R.Prefixed, I.has(Instruction::Prefixed));
    EXPECT_EQ(R.Prefix, I.Prefix);
    ASSERT_EQ(R.DataEA.has_value(), I.NumData != 0);
    EXPECT_EQ(R.Insn.real(I.EA).value_or(NoAddress),
              fitting(I.RA, I.PageShift));
    if (const RadixWalk *W = T.find(I.Walk)) {
      EXPECT_EQ(*R.Insn.PageShift, W->HostShift);
      EXPECT_EQ(R.Insn.HasWalk, W->NumPtes != 0);
    }
    if (!I.NumData)
      continue;
    EXPECT_EQ(*R.DataEA, I.Data[0]);
    EXPECT_EQ(R.Data.real(I.Data[0]).value_or(NoAddress),
              fitting(I.DataRA[0], I.DataPageShift[0]));
    const RadixWalk *W = T.find(I.DataWalk[0]);
    ASSERT_EQ(R.Data.HasWalk, W && W->NumPtes);
    if (!R.Data.HasWalk)
      continue;
    EXPECT_EQ(R.Data.Walk.NumWalks, W->NumWalks);
    for (unsigned K = 0; K < W->NumWalks; ++K)
      for (unsigned L = 0; L < W->NumPtes; ++L)
        EXPECT_EQ(R.Data.Walk.HostPte[K][L], W->HostPte[K][L]);
    if (W->K != RadixWalk::Kind::Nested)
      continue;
    EXPECT_EQ(*R.Data.GuestShift, W->GuestShift);
    for (unsigned K = 0; K + 1 < W->NumWalks; ++K) {
      EXPECT_EQ(R.Data.Walk.HostReal[K], W->HostReal[K]);
      EXPECT_EQ(R.Data.Walk.GuestReal[K], W->GuestReal[K]);
    }
    EXPECT_EQ(R.Data.Walk.GuestReal[W->NumWalks - 1], W->guestReal(I.Data[0]));
  }
  Expected<bool> Got = P.next(R);
  ASSERT_TRUE(bool(Got)) << toString(Got.takeError());
  EXPECT_FALSE(*Got);
}

TEST(Qtrace, RealDumpsComeBack) {
  std::vector<RealDump> Dumps = realDumps();
  NEEDS_REAL_DUMPS(Dumps);
  for (const RealDump &Dump : Dumps) {
    SCOPED_TRACE(Dump.Name);
    Translator T;
    Decoded D;
    std::string File = toQtrace(bytes(Dump.Bytes), T, D);
    EXPECT_EQ(D.Failure, "");
    expectSame(File, D, T);
  }
}

class QtraceOfGenerated : public testing::TestWithParam<const char *> {};
TEST_P(QtraceOfGenerated, ComesBack) {
  Generated G = generate(GetParam(), 5000);
  Translator T;
  Decoded D;
  std::string File = toQtrace(bytes(G.Dump), T, D);
  // On POWER8 the reader keeps the last page where the dump tells none.
  if (StringRef(GetParam()).starts_with("p8"))
    for (size_t I = 1; I < D.Insns.size(); ++I)
      if (D.Insns[I].RA == NoAddress)
        D.Insns[I].RA =
            (D.Insns[I - 1].RA & ~uint64_t(0xffff)) | (D.Insns[I].EA & 0xffff);
  expectSame(File, D, T);
}
INSTANTIATE_TEST_SUITE_P(Generator, QtraceOfGenerated,
                         testing::Values("p8", "p10", "p10 --xlate"));

std::string hexOf(StringRef S) { return toHex(S, true); }

/// The bytes of dump 03 as the description of the format has them: a header, a
/// branch with its target, an instruction.
TEST(Qtrace, BytesOfABranch) {
  std::string File;
  raw_string_ostream OS(File);
  qtrace::QtraceWriter W(OS);
  qtrace::Insn I;
  I.EA = 0xc000000000ea080c;
  I.Opcode = 0x4bffffe4;
  I.Branch = true;
  W.add(I);
  I.EA = 0xc000000000ea07f0;
  I.Opcode = 0x39290001;
  I.Branch = false;
  W.add(I);
  W.close();
  EXPECT_EQ(hexOf(File), "00000000000100026000"
                         "07010000c000000000ea080c"
                         "4bffffe4e0410000000008c000000000ea07f0"
                         "3929000100010000");
}

TEST(Qtrace, AnEmptyTraceIsAHeader) {
  std::string File;
  raw_string_ostream OS(File);
  qtrace::QtraceWriter W(OS);
  W.close();
  EXPECT_EQ(hexOf(File), "00000000000100026000070100000000000000000004");
}

TEST(Qtrace, RealAddressesThatDoNotFitAreLeftOut) {
  std::string File;
  raw_string_ostream OS(File);
  qtrace::QtraceWriter W(OS);
  qtrace::Insn I;
  I.EA = 0x1000;
  I.Opcode = 0xe8890000;
  I.HasData = true;
  I.Data.EA = 0x2000;
  I.Data.Real.RA = 0x000f123456789000;
  W.add(I);
  W.close();
  EXPECT_EQ(W.droppedRealAddresses(), 1u);
  qtrace::QtraceParser P(memory(File));
  qtrace::ReadInsn R;
  ASSERT_TRUE(cantFail(P.next(R)));
  EXPECT_FALSE(R.Data.real(0x2000));
}

TEST(Qtrace, PrefixWithZeroSuffix) {
  std::string File;
  raw_string_ostream OS(File);
  qtrace::QtraceWriter W(OS);
  qtrace::Insn I;
  I.EA = 0x1000;
  I.Prefix = 0x07000000;
  I.Prefixed = true;
  W.add(I);
  I.EA = 0x1008;
  I.Prefixed = false;
  I.Opcode = 0x60000000;
  W.add(I);
  W.close();
  for (size_t Chunk : {1, 3, 4096}) {
    qtrace::QtraceParser P(memory(File, Chunk));
    qtrace::ReadInsn R;
    ASSERT_TRUE(cantFail(P.next(R)));
    EXPECT_TRUE(R.Prefixed);
    EXPECT_EQ(R.Opcode, 0u);
    ASSERT_TRUE(cantFail(P.next(R)));
    EXPECT_EQ(R.EA, 0x1008u);
    EXPECT_FALSE(cantFail(P.next(R)));
  }
}

/// All optional fields at once, in the order of the format's description.
TEST(Qtrace, AllFields) {
  std::string Hex = "00000000"
                    "0001"
                    "0003"
                    "0ca0" // flags3: host radix, ...
                    "f852" // everything in a header
                    "00000001"
                    "07010000"
                    "0000000010000000"
                    "11111111111111";
  // Insn modes of 0ca0: host 3, guest 0: no radix block.
  Hex += "00012345"
         "10"
         "0c";
  Hex += "00000000000000aa"; // PTCR (flags3 0080)
  Hex += "0000004d";         // PID (0020)
  Hex += "0003"
         "616263"; // comment
  // A record with every field but the registers.
  Hex += "e8890000"
         "fff1"
         "532c"
         "07" // node
         "01"
         "80"               // termination
         "02"               // processor
         "0000000020000010" // data address
         "22222222222222"   // VSID
         "00054321"         // data page
         "08"
         "0102030405060708"
         "0000000010000100" // next address
         "33333333333333"
         "00012346" // its page
         "00099999" // sequential page
         "05"
         "10" // error, sequential page size
         "10"
         "10"
         "0c"
         "0d";
  Hex += "60000000"
         "0001"
         "0000";
  std::string File = fromHex(Hex);
  qtrace::QtraceParser P(memory(File));
  qtrace::ReadInsn R;
  Expected<bool> Got = P.next(R);
  ASSERT_TRUE(bool(Got)) << toString(Got.takeError());
  EXPECT_EQ(R.EA, 0x10000000u);
  EXPECT_EQ(*R.Insn.Rpn, 0x12345u);
  // Where in the host page the guest's smaller one is, nothing tells.
  EXPECT_FALSE(R.Insn.real(R.EA));
  EXPECT_EQ(*R.DataEA, 0x20000010u);
  EXPECT_EQ(*R.Data.Rpn, 0x54321u);
  EXPECT_FALSE(R.Data.real(*R.DataEA));
  EXPECT_EQ(R.Ends, qtrace::Termination::Conditional);
  EXPECT_EQ(R.Value.size(), 8u);
  EXPECT_EQ(*R.Data.GuestShift, 0x0du);
  EXPECT_EQ(*P.pid(), 0x4du);
  EXPECT_EQ(P.comment(), "abc");
  ASSERT_TRUE(cantFail(P.next(R)));
  EXPECT_EQ(R.EA, 0x10000100u);
  EXPECT_EQ(*R.Insn.Rpn, 0x12346u);
  EXPECT_FALSE(cantFail(P.next(R)));
}

/// A 2M host page of which a guest's pages of 4K, 64K or 2M are parts.
TEST(Qtrace, GuestPagesSmallerThanTheHosts) {
  for (unsigned GuestShift : {12, 16, 21, 30}) {
    qtrace::PlaceInfo P;
    P.Rpn = 0x100001;
    P.PageShift = 21;
    P.GuestShift = uint8_t(GuestShift);
    P.HasWalk = true;
    P.Walk.NumPtes = 3;
    P.Walk.NumWalks = 5;
    P.Walk.GuestReal[4] = 0x5000123000 & ~((uint64_t(1) << GuestShift) - 1);
    const uint64_t EA = 0x3fff80abcdef, Guest = P.Walk.GuestReal[4];
    const uint64_t InGuest = EA & ((uint64_t(1) << GuestShift) - 1);
    EXPECT_EQ(*P.real(EA),
              (uint64_t(0x100001) << 21 | ((Guest | InGuest) & 0x1fffff)));
    EXPECT_EQ(P.commonShift(), std::min(GuestShift, 21u));
    P.HasWalk = false;
    EXPECT_EQ(P.real(EA).has_value(), GuestShift >= 21);
  }
}

TEST(Qtrace, DamageIsToldWithItsPlace) {
  auto problem = [](StringRef Hex) {
    std::string File = fromHex(Hex);
    qtrace::QtraceParser P(memory(File));
    qtrace::ReadInsn R;
    for (;;) {
      Expected<bool> Got = P.next(R);
      if (!Got)
        return toString(Got.takeError());
      if (!*Got)
        return std::string();
    }
  };
  std::string Header = "00000000000100026000070100000000000000001000";
  EXPECT_EQ(problem(Header + "6000000000010000"), "");
  EXPECT_NE(problem(Header + "60000000000100").find("at byte 28"),
            std::string::npos);
  EXPECT_NE(problem(Header + "6000000000070000").find("at byte 22: unknown"),
            std::string::npos);
  EXPECT_NE(problem(Header + "600000002001000000").find("ends inside"),
            std::string::npos);
  EXPECT_NE(problem(Header + "6000000020010000"
                             "0000")
                .find("termination"),
            std::string::npos);
  EXPECT_NE(problem(Header + "6000000000010000"
                             "00000000000000000000")
                .find("must begin a header"),
            std::string::npos);
  EXPECT_NE(problem("6000000000010000").find("no header"), std::string::npos);
  EXPECT_NE(problem(Header + "0600000000010000").find("without its suffix"),
            std::string::npos);
}

} // namespace
} // namespace rw::htm::test
