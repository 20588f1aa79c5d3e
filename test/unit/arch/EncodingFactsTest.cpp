//===- EncodingFactsTest.cpp ----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/EncodingFacts.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

/// "-": unknown; "w": writes memory; then where it goes.
std::string facts(ISA Isa, uint64_t Opcode, unsigned Size) {
  static EncodingReader Reader;
  InsnItem I;
  I.PC = 0x10000;
  I.Isa = Isa;
  I.Opcode = Opcode;
  I.Size = uint8_t(Size);
  I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
  const std::optional<EncodingFacts> F = Reader.read(I);
  if (!F)
    return "-";
  std::string Text = F->WritesMemory ? "w" : "";
  if (F->Target)
    Text += (F->Target > I.PC ? "+" : "-") +
            std::to_string(F->Target > I.PC ? *F->Target - I.PC
                                            : I.PC - *F->Target);
  return Text;
}

TEST(EncodingFacts, OfAllInstructionSets) {
  EXPECT_EQ(facts(ISA::A64, 0xf9000421, 4), "w");          // str x1, [x1, #8]
  EXPECT_EQ(facts(ISA::A64, 0xf9400421, 4), "");           // ldr
  EXPECT_EQ(facts(ISA::A64, 0xa9bf7bfd, 4), "w");          // stp, pre-indexed
  EXPECT_EQ(facts(ISA::A64, 0x54000081, 4), "+16");        // b.ne
  EXPECT_EQ(facts(ISA::A64, 0x54fffee1, 4), "-36");        // b.ne
  EXPECT_EQ(facts(ISA::A64, 0xb40000c0, 4), "+24");        // cbz
  EXPECT_EQ(facts(ISA::A64, 0x37f80040, 4), "+8");         // tbnz
  EXPECT_EQ(facts(ISA::A64, 0xd65f03c0, 4), "");           // ret
  EXPECT_EQ(facts(ISA::A64, 0, 4), "");                    // udf
  EXPECT_EQ(facts(ISA::A32, 0xe5843018, 4), "w");          // str
  EXPECT_EQ(facts(ISA::A32, 0x08bd8010, 4), "");           // popeq {r4, pc}
  EXPECT_EQ(facts(ISA::A32, 0x1afffff2, 4), "-48");        // bne
  EXPECT_EQ(facts(ISA::T32, 0x6023, 2), "w");              // str r3, [r4]
  EXPECT_EQ(facts(ISA::T32, 0xf8c430a0, 4), "w");          // str.w
  EXPECT_EQ(facts(ISA::T32, 0xdcee, 2), "-32");            // bgt.n
  EXPECT_EQ(facts(ISA::T32, 0xb193, 2), "+40");            // cbz r3
  EXPECT_EQ(facts(ISA::T32, 0xf43faf42, 4), "-376");       // beq.w
  EXPECT_EQ(facts(ISA::T32, 0xbfc8, 2), "");               // it gt
  EXPECT_EQ(facts(ISA::T32, 0x6023, 2), "w");              // not of that block
  EXPECT_EQ(facts(ISA::PPC64, 0x90640000, 4), "w");        // stw
  EXPECT_EQ(facts(ISA::PPC64, 0x4200fff8, 4), "-8");       // bdnz
  EXPECT_EQ(facts(ISA::X86_64, 0x0489, 3), "w");           // mov [rax+rax], eax
  EXPECT_EQ(facts(ISA::X86_64, 0xfa75, 2), "-4");          // jne
  EXPECT_EQ(facts(ISA::X86_64, 0x00000010850f, 6), "+22"); // jne, near
  // movq $1, 0x12345678(%rip) is longer than what a trace keeps of it.
  EXPECT_EQ(facts(ISA::X86_64, 0x0112345678'05c748, 11), "w");
  EXPECT_EQ(facts(ISA::X86_64, 0x12e8, 5), "+23"); // call
  EXPECT_EQ(facts(ISA::Unknown, 0x12, 4), "-");
}

/// "r<n>..." it reads, "w<n>..." it writes; a call's many are "c".
std::string registers(ISA Isa, uint64_t Opcode, unsigned Size) {
  static EncodingReader Reader;
  InsnItem I;
  I.PC = 0x10000;
  I.Isa = Isa;
  I.Opcode = Opcode;
  I.Size = uint8_t(Size);
  I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
  const std::optional<EncodingFacts> F = Reader.read(I);
  if (!F)
    return "-";
  auto list = [](char What, uint64_t Mask) {
    std::string Text;
    for (unsigned N = 0; N < 64; ++N)
      if (Mask >> N & 1)
        Text += (Text.empty() ? std::string(1, What) : ",") + std::to_string(N);
    return Text;
  };
  return list('r', F->Reads) + (F->Writes >> 40 ? "c" : list('w', F->Writes));
}

TEST(EncodingFacts, GeneralRegisters) {
  EXPECT_EQ(registers(ISA::A64, 0xf9000421, 4), "r1");     // str x1, [x1, #8]
  EXPECT_EQ(registers(ISA::A64, 0xb9401fe0, 4), "w0");     // ldr w0, [sp, #28]
  EXPECT_EQ(registers(ISA::A64, 0xb8217802, 4), "r0,1,2"); // str w2, [x0, x1]
  EXPECT_EQ(registers(ISA::A64, 0x8b010020, 4), "r1w0");   // add x0, x1, x1
  EXPECT_EQ(registers(ISA::A64, 0xa9bf7bfd, 4), "r30");    // stp x29, x30
  EXPECT_EQ(registers(ISA::A64, 0x97ffff49, 4), "c");      // bl
  EXPECT_EQ(registers(ISA::A64, 0xd503201f, 4), "");       // nop
  EXPECT_EQ(registers(ISA::A32, 0xe51b3008, 4), "w3");     // ldr r3, [fp, #-8]
  EXPECT_EQ(registers(ISA::A32, 0xe0833002, 4), "r2,3w3"); // add r3, r3, r2
  EXPECT_EQ(registers(ISA::T32, 0x6023, 2), "r3,4");       // str r3, [r4]
  EXPECT_EQ(registers(ISA::T32, 0x687b, 2), "w3");         // ldr r3, [r7, #4]
  EXPECT_EQ(registers(ISA::PPC64, 0x90640000, 4), "r3,4"); // stw r3, 0(r4)
  EXPECT_EQ(registers(ISA::PPC64, 0x4200fff8, 4), "r32w32"); // bdnz
  EXPECT_EQ(registers(ISA::X86_64, 0xfc458b, 3), "w0");      // mov eax, [rbp-4]
  EXPECT_EQ(registers(ISA::X86_64, 0xc931, 2), "w1");        // xor ecx, ecx
  EXPECT_EQ(registers(ISA::X86_64, 0xc131, 2), "r0,1w1");    // xor ecx, eax
  EXPECT_EQ(registers(ISA::X86_64, 0x12e8, 5), "c");         // call
}

// LLVM's descriptions say that these do not store.
TEST(EncodingFacts, StringsOfX86AndLockedInstructionsWrite) {
  EXPECT_EQ(facts(ISA::X86_64, 0xaa, 1), "w");       // stosb
  EXPECT_EQ(facts(ISA::X86_64, 0xab48f3, 3), "w");   // rep stosq
  EXPECT_EQ(facts(ISA::X86_64, 0xa4f3, 2), "w");     // rep movsb
  EXPECT_EQ(facts(ISA::X86_64, 0xa6f3, 2), "");      // repe cmpsb
  EXPECT_EQ(facts(ISA::X86_64, 0xaef2, 2), "");      // repne scasb
  EXPECT_EQ(facts(ISA::X86_64, 0xac, 1), "");        // lodsb
  EXPECT_EQ(facts(ISA::X86_64, 0x01c10ff0, 4), "w"); // lock xadd
  EXPECT_EQ(facts(ISA::X86_64, 0x000010c8, 4), "w"); // enter
  EXPECT_EQ(facts(ISA::X86_64, 0x12e8f2, 6), "+24"); // bnd call
}

// LLVM's descriptions say that these store.
TEST(EncodingFacts, HintsAndBarriersDoNotWrite) {
  EXPECT_EQ(facts(ISA::A64, 0xd503201f, 4), "");     // nop
  EXPECT_EQ(facts(ISA::A64, 0xd5033bbf, 4), "");     // dmb ish
  EXPECT_EQ(facts(ISA::A64, 0xc80ffc41, 4), "w");    // stlxr
  EXPECT_EQ(facts(ISA::A32, 0xe320f000, 4), "");     // nop
  EXPECT_EQ(facts(ISA::A32, 0x1320f000, 4), "");     // nopne
  EXPECT_EQ(facts(ISA::A32, 0xf57ff05b, 4), "");     // dmb ish
  EXPECT_EQ(facts(ISA::A32, 0xe1843f92, 4), "w");    // strex
  EXPECT_EQ(facts(ISA::A32, 0xe92d4010, 4), "w");    // push
  EXPECT_EQ(facts(ISA::T32, 0xbf00, 2), "");         // nop
  EXPECT_EQ(facts(ISA::T32, 0xf3af8000, 4), "");     // nop.w
  EXPECT_EQ(facts(ISA::T32, 0xf3bf8f5b, 4), "");     // dmb ish
  EXPECT_EQ(facts(ISA::T32, 0xb480, 2), "w");        // push {r7}
  EXPECT_EQ(facts(ISA::PPC64, 0x7c0004ac, 4), "");   // sync
  EXPECT_EQ(facts(ISA::X86_64, 0xf0ae0f, 3), "");    // mfence
  EXPECT_EQ(facts(ISA::X86_64, 0x90f3, 2), "");      // pause
  EXPECT_EQ(facts(ISA::X86_64, 0x11ae0f, 3), "");    // ldmxcsr
  EXPECT_EQ(facts(ISA::X86_64, 0x09180f, 3), "");    // prefetcht0
  EXPECT_EQ(facts(ISA::A64, 0xc87f0440, 4), "");     // ldxp
  EXPECT_EQ(facts(ISA::A32, 0xe1943f9f, 4), "");     // ldrex
  EXPECT_EQ(facts(ISA::X86_64, 0x55, 1), "w");       // push rbp
  EXPECT_EQ(facts(ISA::X86_64, 0x016a, 2), "w");     // push 1
  EXPECT_EQ(facts(ISA::X86_64, 0x012504c6, 8), "w"); // movb $0, 1
}

} // namespace
