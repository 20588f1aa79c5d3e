//===- DisassemblerTest.cpp -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/Disassembler.h"
#include "test/unit/support/TestData.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace rw;

static std::string text(ISA Isa, uint64_t Opcode, uint8_t Size,
                        uint64_t PC = 0x8000) {
  InsnItem I;
  I.Isa = Isa;
  I.Opcode = Opcode;
  I.Size = Size;
  I.PC = PC;
  I.Flags |= InsnItem::OpcodeKnown;
  return Disassembler().text(I);
}

TEST(Disassembler, EveryInstructionSet) {
  EXPECT_EQ(text(ISA::A64, 0xf94003e1, 4), "ldr x1, [sp]");
  EXPECT_EQ(text(ISA::A64, 0x94000002, 4), "bl 0x8008");
  EXPECT_EQ(text(ISA::A32, 0xe92d4830, 4), "push {r4, r5, r11, lr}");
  EXPECT_EQ(text(ISA::T32, 0x4770, 2), "bx lr");
  // The first halfword is in the upper half.
  EXPECT_EQ(text(ISA::T32, 0xe92d4ff0, 4),
            "push.w {r4, r5, r6, r7, r8, r9, r10, r11, lr}");
  EXPECT_EQ(text(ISA::PPC64, 0x4e800020, 4), "blr");
  EXPECT_EQ(text(ISA::PPC64, 0xe9290008, 4), "ld r9,8(r9)");
  EXPECT_EQ(text(ISA::PPC64, 0x7f843800, 4), "cmpw cr7,r4,r7");
  EXPECT_EQ(text(ISA::PPC64, 0x4c0000a4, 4), "rfscv");
  EXPECT_EQ(text(ISA::PPC64, 0x0700000000000000, 8), "pnop");
  EXPECT_EQ(text(ISA::PPC64, 0x0600000038630005, 8), "paddi r3,r3,5");
  EXPECT_EQ(text(ISA::X86_64, 0xc3, 1), "retq");
  EXPECT_EQ(text(ISA::X86_64, 0xffffffe3e8, 5, 0x401138), "callq 0x401120");
}

/// An instruction of each kind that the GNU tools know, as they spell it.
TEST(Disassembler, PowerIsSpelledAsByTheGnuTools) {
  auto File = llvm::MemoryBuffer::getFile(
      rw::test::sourceFile("test/unit/arch/PPCSpelling.txt"));
  ASSERT_TRUE(File);
  Disassembler D;
  unsigned Lines = 0;
  for (llvm::line_iterator L(**File, /*SkipBlanks=*/true, '#'); !L.is_at_eof();
       ++L, ++Lines) {
    auto [Address, Rest] = L->split(' ');
    auto [Opcode, Text] = Rest.split(' ');
    InsnItem I;
    I.Isa = ISA::PPC64;
    I.Flags |= InsnItem::OpcodeKnown;
    ASSERT_FALSE(Address.getAsInteger(16, I.PC) ||
                 Opcode.getAsInteger(16, I.Opcode));
    I.Size = I.Opcode >> 32 ? 8 : 4;
    EXPECT_EQ(D.text(I), Text) << L->str();
  }
  EXPECT_GT(Lines, 2500u);
}

TEST(Disassembler, ItBlockDoesNotLeakIntoWhatIsShownNext) {
  Disassembler D;
  InsnItem It;
  It.Isa = ISA::T32;
  It.Opcode = 0xbf08; // it eq
  It.Size = 2;
  It.Flags |= InsnItem::OpcodeKnown;
  EXPECT_EQ(D.text(It), "it eq");
  It.Opcode = 0x4608;
  EXPECT_EQ(D.text(It), "mov r0, r1");
  // A trace may lie about the size.
  It.Opcode = 0xbf084608;
  It.Size = 4;
  D.text(It);
  It.Opcode = 0x4608;
  It.Size = 2;
  EXPECT_EQ(D.text(It), "mov r0, r1");
}

TEST(Disassembler, ProfilesOfThumb) {
  EXPECT_EQ(text(ISA::T32, 0xf011ebfc, 4, 0x10364), "blx 0x21b60");
  EXPECT_EQ(text(ISA::T32, 0xf011e801, 4), "vctp.16 r1");
}

TEST(Disassembler, ItBlock) {
  Disassembler D;
  auto text = [&](std::initializer_list<uint8_t> Bytes, uint8_t It) {
    return D.text(ISA::T32, std::vector<uint8_t>(Bytes), 0x8000, It);
  };
  EXPECT_EQ(text({0x08, 0x46}, 1), "movne r0, r1");
  EXPECT_EQ(text({0x08, 0x46}, NoItCondition), "mov r0, r1");
  EXPECT_EQ(text({0x40, 0x1c}, 0), "addeq r0, r0, #0x1") << "not adds";
  EXPECT_EQ(text({0xb0, 0xfb, 0xf1, 0xf0}, 12), "udivgt r0, r0, r1");
  EXPECT_EQ(text({0xff, 0xff, 0xff, 0xff}, 0), "");
  EXPECT_EQ(text({0x08, 0x46}, NoItCondition), "mov r0, r1");
}

TEST(Disassembler, Unknown) {
  EXPECT_EQ(text(ISA::A64, 0, 4), "udf #0x0");
  EXPECT_EQ(text(ISA::A64, 0xffffffff, 4), "");
  EXPECT_EQ(text(ISA::Unknown, 0xf94003e1, 4), "");
  InsnItem I;
  I.Isa = ISA::A64;
  I.Size = 4;
  EXPECT_EQ(Disassembler().text(I), "") << "the opcode is not known";
}
