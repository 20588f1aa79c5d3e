//===- OperandsTest.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Operands.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace rw;

static std::string show(StringRef Text, Arch A = Arch::AArch64) {
  RegisterFile Registers(A, {});
  Operands Ops = parseOperands(Text, Registers);
  std::string Result = Ops.Mnemonic + ":";
  for (const Operands::Operand &O : Ops.data())
    Result += " " + O.Text + (O.Register ? "" : O.Zero ? "(0)" : "?");
  return Result + (Ops.Memory ? " [m]" : "");
}

TEST(Operands, A64) {
  EXPECT_EQ(show("mov x0, x1"), "mov: x0 x1");
  EXPECT_EQ(show("mov w0, #0x5"), "mov: w0 #0x5(0)");
  EXPECT_EQ(show("ldr x1, [sp, #0x8]"), "ldr: x1 [m]");
  EXPECT_EQ(show("stp x29, x30, [sp, #-0x10]!"), "stp: x29 x30 [m]");
  EXPECT_EQ(show("ldp x29, x30, [sp], #0x10"), "ldp: x29 x30 [m]");
  EXPECT_EQ(show("str wzr, [x0]"), "str: wzr(0) [m]");
  EXPECT_EQ(show("stlxr w8, x0, [x1]"), "stlxr: x0 [m]");
  EXPECT_EQ(show("ld1 {v0.16b}, [x0]"), "ld1: v0.16b [m]");
  EXPECT_EQ(show("ret"), "ret:");
}

TEST(Operands, A32) {
  EXPECT_EQ(show("push {r4, r5, r11, lr}", Arch::Arm), "push: r4 r5 r11 lr");
  EXPECT_EQ(show("ldm r0!, {r1, r2}", Arch::Arm), "ldm: r1 r2");
  EXPECT_EQ(show("stm sp, {r0-r3}", Arch::Arm), "stm: r0 r1 r2 r3");
  EXPECT_EQ(show("str r0, [r1], #4", Arch::Arm), "str: r0 [m]");
}

TEST(Operands, Nonsense) {
  EXPECT_EQ(show(""), ":");
  EXPECT_EQ(show("x ]]] ,, {r9-r1} ("), "x: [m]");
}
