//===- DumpTest.cpp - Dumps against the truth -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Encode.h"
#include "Generated.h"
#include "core/formats/htm/HtmText.h"
#include "core/formats/htm/HtmToQtrace.h"
#include "core/formats/qtrace/QtraceText.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace rw::htm::test {
namespace {

/// Every field that the expected lines have is in ours, with that value. We may
/// tell a real address where they do not (the page size is not known).
void expectFields(StringRef Ours, StringRef Expected) {
  SmallVector<StringRef, 64> A, B;
  Ours.split(A, '\n');
  Expected.split(B, '\n');
  ASSERT_EQ(A.size(), B.size());
  for (size_t I = 0; I < A.size(); ++I) {
    SmallVector<StringRef, 8> Have, Want;
    A[I].split(Have, ' ', -1, false);
    B[I].split(Want, ' ', -1, false);
    for (StringRef F : Want) {
      // The only walk of dump 05 leads to another page than its instruction's:
      // the page size that the lines tell is not that of the instruction.
      if (F == "ipgsize:16" && B.size() == 2)
        continue;
      EXPECT_TRUE(is_contained(Have, F)) << A[I].str() << " lacks " << F.str();
    }
    for (StringRef F : Have)
      EXPECT_TRUE(is_contained(Want, F) || F.starts_with("ira:"))
          << F.str() << " is not in " << B[I].str();
  }
}

TEST(Dump, RealDumpsGiveTheExpectedLines) {
  std::vector<RealDump> Dumps = realDumps();
  NEEDS_REAL_DUMPS(Dumps);
  EXPECT_GE(Dumps.size(), 7u);
  for (const RealDump &Dump : Dumps) {
    SCOPED_TRACE(Dump.Name);
    ASSERT_FALSE(Dump.Lines.empty());
    Translator T;
    Decoded D = decode(bytes(Dump.Bytes), 0, &T);
    EXPECT_EQ(D.Failure, "");
    EXPECT_EQ(decode(bytes(Dump.Bytes)).Insns.size(), D.Insns.size());
    std::string Text;
    raw_string_ostream OS(Text);
    for (const Instruction &In : D.Insns)
      printInstruction(OS, In, {});
    expectFields(Text, Dump.Lines);
  }
}

/// \p Bytes must outlive it.
ByteSource source(ArrayRef<uint8_t> Bytes) {
  return [Bytes](uint8_t *Buffer, size_t Size) mutable -> Expected<size_t> {
    Size = std::min(Size, Bytes.size());
    std::copy_n(Bytes.begin(), Size, Buffer);
    Bytes = Bytes.drop_front(Size);
    return Size;
  };
}

/// The dump as a Qtrace file, and that as text.
std::string disassembly(const RealDump &Dump) {
  std::string File;
  raw_string_ostream OS(File);
  Translator T;
  QtraceSink Sink(OS, &T);
  DecoderOptions O;
  O.Translate = &T;
  HtmDecoder D(source(bytes(Dump.Bytes)), Sink, O);
  EXPECT_FALSE(errorToBool(D.run()));
  Sink.close();
  qtrace::QtraceParser P(source(bytes(File)));
  qtrace::ReadInsn I;
  std::string Text;
  raw_string_ostream Lines(Text);
  qtrace::InstructionTexts Texts;
  while (cantFail(P.next(I)))
    qtrace::printRecord(Lines, Texts, I);
  return Text;
}

TEST(Dump, RealDumpsGiveTheExpectedDisassembly) {
  std::vector<RealDump> Dumps = realDumps();
  NEEDS_REAL_DUMPS(Dumps);
  for (const RealDump &Dump : Dumps) {
    SCOPED_TRACE(Dump.Name);
    ASSERT_FALSE(Dump.Disassembly.empty());
    // LLVM has the extended mnemonic, which the reference's binutils lacked.
    std::string Expected = Dump.Disassembly;
    for (size_t At;
         (At = Expected.find("rldicr  r3,r3,32,31")) != std::string::npos;)
      Expected.replace(At, 19, "sldi    r3,r3,32");
    EXPECT_EQ(disassembly(Dump), Expected);
  }
}

class GeneratedDump : public testing::TestWithParam<const char *> {};

/// The lines of the generator's truth file.
std::string truthLines(ArrayRef<Instruction> Insns) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto hex = [&](uint64_t V, unsigned N) { OS << format_hex_no_prefix(V, N); };
  for (const Instruction &I : Insns) {
    hex(I.EA, 16);
    OS << ' ';
    if (I.has(Instruction::Prefixed)) {
      hex(I.Prefix, 8);
      OS << '\n';
      hex(I.EA + 4, 16);
      OS << ' ';
    }
    hex(I.Opcode, 8);
    if (I.NumData) {
      OS << ' ';
      hex(I.Data[0], 16);
    }
    OS << '\n';
  }
  return Text;
}

TEST_P(GeneratedDump, EqualsItsTruth) {
  Generated G = generate(GetParam(), 30000);
  ASSERT_FALSE(G.Truth.empty());
  for (size_t Window : {size_t(0), size_t(256)}) {
    Translator T;
    Decoded D = decode(bytes(G.Dump), Window, &T);
    EXPECT_EQ(D.Failure, "");
    EXPECT_EQ(D.Sum.numDamages(), 0u);
    EXPECT_EQ(truthLines(D.Insns), G.Truth);
    EXPECT_EQ(D.Insns.size(), D.Sum.Instructions);
    // RECORD and COMPLETE, and the time between them.
    EXPECT_EQ(D.Sum.Stamps[unsigned(StampKind::Record)], 1u);
    EXPECT_EQ(D.Sum.Stamps[unsigned(StampKind::Complete)], 1u);
    EXPECT_EQ(D.Sum.Cycles, D.Insns.size() / 500 * 123);
  }
  Decoded D = decode(bytes(G.Dump));
  EXPECT_EQ(truthLines(D.Insns), G.Truth);
  EXPECT_GT(D.ByBlocks, D.Insns.size());
}
INSTANTIATE_TEST_SUITE_P(Generator, GeneratedDump,
                         testing::Values("p8 --stamp-every 500",
                                         "p10 --stamp-every 500",
                                         "p10 --xlate --stamp-every 500"));

TEST(Dump, GeneratedWalksAreCompleted) {
  Generated G = generate("p10 --xlate", 30000);
  Translator T;
  Decoded D = decode(bytes(G.Dump), 0, &T);
  ASSERT_GT(D.Sum.Walks, 0u);
  EXPECT_EQ(T.statistics().Lost, 0u);
  EXPECT_EQ(T.statistics().NotFound, 0u);
  // The generator's tables: see nested_walk() there.
  const uint64_t PGD = 0x5b00000000;
  auto check = [&](uint32_t Id, uint64_t EA, uint64_t RA) {
    const RadixWalk *W = T.find(Id);
    ASSERT_TRUE(W);
    EXPECT_EQ(W->K, RadixWalk::Kind::Nested);
    EXPECT_EQ(W->NumWalks, 5u);
    EXPECT_EQ(W->NumPtes, 3u);
    EXPECT_EQ(W->HostShift, 21u);
    EXPECT_EQ(W->GuestShift, 12u);
    const uint64_t Guest[4] = {
        PGD + (EA >> 39 & 0x1fff) * 8, PGD + 0x10000 + (EA >> 30 & 0x1ff) * 8,
        PGD + 0x20000 + (EA >> 30 & 0xff) * 0x1000 + (EA >> 21 & 0x1ff) * 8,
        PGD + 0x400000 + (EA >> 21 & 0x3ff) * 0x1000 + (EA >> 12 & 0x1ff) * 8};
    for (unsigned I = 0; I < 4; ++I) {
      EXPECT_EQ(W->GuestReal[I], Guest[I]);
      EXPECT_EQ(W->HostReal[I], 0x200000000000 + Guest[I]);
    }
    uint64_t GuestRA = RA - 0x200000000000;
    EXPECT_EQ(W->guestReal(EA), GuestRA);
    for (unsigned I = 0; I < 5; ++I) {
      uint64_t A = I < 4 ? Guest[I] : GuestRA;
      EXPECT_EQ(W->HostPte[I][0], 0x4301800000000 + (A >> 39 & 0x1fff) * 8);
      EXPECT_EQ(W->HostPte[I][1], 0x4301800050000 + (A >> 30 & 0x1ff) * 8);
      EXPECT_EQ(W->HostPte[I][2], 0x4301860000000 + (A >> 30 & 0xfff) * 0x1000 +
                                      (A >> 21 & 0x1ff) * 8);
    }
  };
  for (size_t I = 0; I < D.Insns.size() && !testing::Test::HasFailure(); ++I) {
    const Instruction &In = D.Insns[I];
    check(In.Walk, In.EA, In.RA);
    if (In.NumData)
      check(In.DataWalk[0], In.Data[0], In.DataRA[0]);
  }
}

} // namespace
} // namespace rw::htm::test
