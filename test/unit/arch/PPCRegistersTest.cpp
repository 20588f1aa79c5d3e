//===- PPCRegistersTest.cpp - The registers of 64-bit POWER ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/RegisterFile.h"
#include "gtest/gtest.h"

using namespace rw;

static const RegisterFile &file() {
  static const RegisterFile File(Arch::PPC64, {});
  return File;
}

TEST(PPCRegisters, NamesAndNumbers) {
  const RegisterFile &F = file();
  ASSERT_NE(F.sp(), nullptr);
  EXPECT_EQ(F.find("r1"), F.sp());
  EXPECT_EQ(F.find("sp"), F.sp());
  EXPECT_EQ(F.find("iar"), F.pc());
  EXPECT_EQ(F.find("$LR"), F.lr());
  EXPECT_EQ(F.find("arg1"), F.find("r3"));
  EXPECT_EQ(F.find("flags"), F.find("cr"));
  EXPECT_EQ(F.find("r32"), nullptr);
  EXPECT_EQ(F.find("vs64"), nullptr);
  const std::pair<const char *, int> Numbers[] = {
      {"r0", 0},  {"r31", 31}, {"f0", 32},  {"f31", 63},   {"cr", 64},
      {"lr", 65}, {"ctr", 66}, {"vr0", 77}, {"vr31", 108}, {"vs0", -1}};
  for (auto [Name, Number] : Numbers) {
    const RegisterInfo *R = F.find(Name);
    ASSERT_NE(R, nullptr) << Name;
    EXPECT_EQ(R->Dwarf, Number) << Name;
  }
}

TEST(PPCRegisters, Overlays) {
  // f3 is the upper half of vs3, vr3 all of vs35.
  const RegisterInfo *Float = file().find("f3"), *Vector = file().find("vr3");
  ASSERT_TRUE(Float && Vector);
  EXPECT_EQ(Float->Slice.Lane, file().find("vs3")->Slice.Lane + 1);
  EXPECT_EQ(Float->Slice.Size, 8);
  EXPECT_EQ(Vector->Slice.Lane, file().find("vs35")->Slice.Lane);
  EXPECT_EQ(Vector->Slice.Size, 16);
  ASSERT_GE(Float->Container, 0);
  ASSERT_GE(Vector->Container, 0);
  EXPECT_EQ(file().registers()[Float->Container].Name, "vs3");
  EXPECT_EQ(file().registers()[Vector->Container].Name, "vs35");
}
