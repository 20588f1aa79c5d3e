//===- WideningTest.cpp - Tests of what only widens a value ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dataflow/Widening.h"
#include "gtest/gtest.h"

using namespace rw;

TEST(Widening, Bytes) {
  EXPECT_EQ(widenedBytes("sxtw x1, w0"), 4u);
  EXPECT_EQ(widenedBytes("uxtb.w r3, r3"), 1u);
  EXPECT_EQ(widenedBytes("and w1, w0, #0xffff"), 2u);
  EXPECT_EQ(widenedBytes("and r1, r0, #255"), 1u);
  EXPECT_EQ(widenedBytes("extsw r3, r4"), 4u);
  EXPECT_EQ(widenedBytes("clrldi r3, r4, 32"), 4u);
  EXPECT_EQ(widenedBytes("clrlwi r3, r4, 24"), 1u);
  EXPECT_EQ(widenedBytes("movzwl %ax, %ecx"), 2u);
  EXPECT_EQ(widenedBytes("\tcltq"), 4u);
}

TEST(Widening, NoOthers) {
  EXPECT_EQ(widenedBytes("sxtab r0, r1, r2"), 0u);
  EXPECT_EQ(widenedBytes("uxtb r0, r1, ror #8"), 0u);
  EXPECT_EQ(widenedBytes("and w1, w0, #0xfe"), 0u);
  EXPECT_EQ(widenedBytes("and w1, w0, w2"), 0u);
  EXPECT_EQ(widenedBytes("clrldi r3, r4, 60"), 0u);
  EXPECT_EQ(widenedBytes("clrldi r3, r4, 99"), 0u);
  EXPECT_EQ(widenedBytes("lsr w0, w0, #8"), 0u);
  EXPECT_EQ(widenedBytes(""), 0u);
}

TEST(Widening, Constants) {
  EXPECT_TRUE(continuesConstant("movk x1, #0x1234, lsl #48"));
  EXPECT_TRUE(continuesConstant("movt r1, #0x1234"));
  EXPECT_FALSE(continuesConstant("movz x1, #0x1234"));
  EXPECT_FALSE(continuesConstant("mov x1, x0"));
}
