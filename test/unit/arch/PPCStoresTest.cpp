//===- PPCStoresTest.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/PPCStores.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {
struct Case {
  uint32_t Prefix, Opcode;
  unsigned First, Count, Size; ///< Count 0: not told
  bool Reversed = false, IsOneNumber = false;
};

TEST(PPCStores, RegistersThatAreStored) {
  const Case Cases[] = {
      {0, 0xf8010010, 0, 1, 8},                       // std r0,16(r1)
      {0, 0xf821ffd1, 1, 1, 8},                       // stdu r1,-48(r1)
      {0, 0x98a60000, 5, 1, 1},                       // stb r5,0(r6)
      {0, 0xb0a60000, 5, 1, 2},                       // sth r5,0(r6)
      {0, 0x94a60004, 5, 1, 4},                       // stwu r5,4(r6)
      {0, 0x7ca6392a, 5, 1, 8},                       // stdx r5,r6,r7
      {0, 0x7ca63d28, 5, 1, 8, true},                 // stdbrx r5,r6,r7
      {0, 0x7ca63f2c, 5, 1, 2, true},                 // sthbrx r5,r6,r7
      {0, 0xbf810008, 28, 4, 4},                      // stmw r28,8(r1)
      {0, 0xf8c30012, 6, 2, 8, false, true},          // stq r6,16(r3)
      {0x04000001, 0xf4a60000, 5, 1, 8},              // pstd
      {0x06000001, 0x90a60000, 5, 1, 4},              // pstw
      {0x04000001, 0xf0c60000, 6, 2, 8, false, true}, // pstq
      {0, 0xe8010010, 0, 0, 0},                       // ld
      {0, 0xd8010010, 0, 0, 0},                       // stfd
      {0, 0x7ca639ad, 0, 0, 0},                       // stdcx.: perhaps not
      {0, 0x7ca6392d, 0, 0, 0},                       // stwcx.
      {0x06000001, 0x80a60000, 0, 0, 0},              // plwz
  };
  for (const Case &C : Cases) {
    SCOPED_TRACE(testing::Message() << std::hex << C.Opcode);
    auto S = ppc::storedRegisters(C.Prefix, C.Opcode);
    ASSERT_EQ(S.has_value(), C.Count != 0);
    if (!S)
      continue;
    EXPECT_EQ(S->FirstLane, C.First);
    EXPECT_EQ(S->Count, C.Count);
    EXPECT_EQ(S->Size, C.Size);
    EXPECT_EQ(S->Reversed, C.Reversed);
    EXPECT_EQ(S->IsOneNumber, C.IsOneNumber);
  }
}
} // namespace
