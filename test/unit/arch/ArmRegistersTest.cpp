//===- ArmRegistersTest.cpp - The AArch64 and AArch32 registers -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "gtest/gtest.h"

using namespace rw;

static void expectSlice(const RegisterInfo *R, unsigned Lane, unsigned Offset,
                        unsigned Size) {
  ASSERT_NE(R, nullptr);
  EXPECT_EQ(R->Slice.Lane, Lane) << R->Name;
  EXPECT_EQ(R->Slice.Offset, Offset) << R->Name;
  EXPECT_EQ(R->Slice.Size, Size) << R->Name;
}

TEST(ArmRegisters, AArch64NamesAndAliases) {
  RegisterFile F(Arch::AArch64, {});
  EXPECT_EQ(F.find("x29"), F.find("fp"));
  EXPECT_EQ(F.find("x30"), F.find("lr"));
  EXPECT_EQ(F.find("$LR"), F.lr());
  EXPECT_EQ(F.find("xsp"), F.sp());
  EXPECT_EQ(F.find("arg1"), F.find("x0"));
  EXPECT_EQ(F.find("q7"), F.find("v7"));
  EXPECT_EQ(F.find("r3"), F.find("w3"));
  EXPECT_EQ(F.find("flags"), F.find("cpsr"));
  EXPECT_EQ(F.find("x31"), nullptr);
  EXPECT_EQ(F.find(""), nullptr);
  ASSERT_NE(F.pc(), nullptr);
  EXPECT_TRUE(F.pc()->IsPC);
  EXPECT_EQ(F.pc()->Dwarf, 32);
  EXPECT_EQ(F.sp()->Dwarf, 31);
  EXPECT_EQ(F.find("v31")->Dwarf, 95);
  EXPECT_EQ(F.registers().front().Name, "x0");
}

TEST(ArmRegisters, AArch64Overlaps) {
  RegisterFile F(Arch::AArch64, {});
  expectSlice(F.find("w9"), 9, 0, 4);
  expectSlice(F.find("wsp"), arm::SP, 0, 4);
  expectSlice(F.find("s5"), arm::v(5), 0, 4);
  expectSlice(F.find("d5"), arm::v(5), 0, 8);
  expectSlice(F.find("q5"), arm::v(5), 0, 16);
  for (const RegisterInfo &R : F.registers())
    if (R.Container >= 0) {
      const RegisterInfo &C = F.registers()[R.Container];
      unsigned Begin = R.Slice.Lane * 8 + R.Slice.Offset;
      unsigned CBegin = C.Slice.Lane * 8 + C.Slice.Offset;
      EXPECT_GE(Begin, CBegin) << R.Name;
      EXPECT_LE(Begin + R.Slice.Size, CBegin + C.Slice.Size) << R.Name;
    }
  EXPECT_EQ(F.laneName(0), "x0");
  EXPECT_EQ(F.laneName(31), "sp");
  EXPECT_EQ(F.laneName(arm::v(3)), "v3");
  EXPECT_EQ(F.laneName(arm::v(3, 1)), "v3");
}

TEST(ArmRegisters, ArmViews) {
  RegisterFile F(Arch::Arm, {});
  EXPECT_EQ(F.find("r13"), F.sp());
  EXPECT_EQ(F.find("r14"), F.lr());
  EXPECT_EQ(F.find("r15"), F.pc());
  EXPECT_EQ(F.find("fp"), F.find("r11"));
  expectSlice(F.sp(), arm::R13, 0, 4);
  // q1 = d2,d3 = s4..s7.
  expectSlice(F.find("q1"), arm::v(1), 0, 16);
  expectSlice(F.find("d3"), arm::v(1, 1), 0, 8);
  expectSlice(F.find("s6"), arm::v(1, 1), 0, 4);
  expectSlice(F.find("s7"), arm::v(1, 1), 4, 4);
  EXPECT_EQ(F.find("s7")->Dwarf, 71);
  EXPECT_EQ(F.find("d31")->Dwarf, 287);
  for (const RegisterInfo &R : F.registers())
    if (R.Container >= 0) {
      EXPECT_EQ(F.registers()[R.Container].Name[0], 'q');
      EXPECT_EQ(F.registers()[R.Container].Slice.Lane, R.Slice.Lane & ~1u);
    }
}

TEST(ArmRegisters, Fields) {
  RegisterFile F(Arch::AArch64, {});
  auto N = F.findField("cpsr.N");
  ASSERT_TRUE(N);
  EXPECT_EQ(N->Register, F.find("cpsr"));
  EXPECT_EQ(N->Lo, 31u);
  EXPECT_EQ(N->Width, 1u);
  auto EL = F.findField("$pstate.el");
  ASSERT_TRUE(EL);
  EXPECT_EQ(EL->Lo, 2u);
  EXPECT_EQ(EL->Width, 2u);
  EXPECT_FALSE(F.findField("x0.n"));
  EXPECT_FALSE(F.findField("cpsr"));
  EXPECT_FALSE(F.findField("cpsr."));
  RegisterFile A(Arch::Arm, {});
  ASSERT_TRUE(A.findField("cpsr.t"));
  EXPECT_EQ(A.findField("xpsr.mode")->Width, 5u);
  EXPECT_EQ(A.findField("fpscr.len")->Lo, 16u);
}

TEST(ArmRegisters, NamedRegisters) {
  NamedRegister Named[] = {
      {"SP_EL0", 104, 8}, {"z3_high", 105, 16}, {"X0", 107, 8}};
  RegisterFile F(Arch::AArch64, Named);
  expectSlice(F.find("sp_el0"), 104, 0, 8);
  expectSlice(F.find("z3_high"), 105, 0, 16);
  expectSlice(F.find("x0"), 0, 0, 8); // a trace cannot redefine x0
  EXPECT_EQ(F.numLanes(), 108u);
  EXPECT_EQ(F.laneName(104), "SP_EL0");
  EXPECT_EQ(F.laneName(106), "z3_high");
  EXPECT_EQ(F.laneName(9999), "");
}
