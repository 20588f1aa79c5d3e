//===- ScanTest.cpp - Numbers out of text, against the plain way ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Scan.h"
#include "gtest/gtest.h"
#include <cstring>
#include <random>

using namespace rw::tarmac;

static unsigned plainHex(const char *P, uint64_t &Value) {
  Value = 0;
  unsigned N = 0;
  for (; N < 16 && isHex(P[N]); ++N)
    Value = Value * 16 + uint64_t(hexDigit(P[N]));
  return N == 16 && isHex(P[16]) ? 17 : N;
}

static unsigned plainDecimal(const char *P, uint64_t &Value) {
  Value = 0;
  unsigned N = 0;
  for (; N < 20 && isDigit(P[N]); ++N)
    if (N < 19)
      Value = Value * 10 + uint64_t(P[N] - '0');
  return N;
}

TEST(Scan, EveryCharacterInEveryPlace) {
  for (unsigned Place = 0; Place < 20; ++Place)
    for (int C = 0; C < 256; ++C) {
      char Text[64];
      std::memset(Text, '7', sizeof(Text));
      Text[Place] = char(C);
      Text[20] = '\n';
      uint64_t A = 0, B = 0;
      EXPECT_EQ(scanHex(Text, A), plainHex(Text, B)) << Place << " " << C;
      if (plainHex(Text, B) <= 16) {
        EXPECT_EQ(A, B) << Place << " " << C;
      }
      EXPECT_EQ(scanDecimal(Text, A), plainDecimal(Text, B)) << C;
      if (plainDecimal(Text, B) < 20) {
        EXPECT_EQ(A, B) << Place << " " << C;
      }
      EXPECT_EQ(leadingHex(load8(Text)), std::min(8u, plainHex(Text, B)));
      EXPECT_EQ(leadingDecimal(load8(Text)),
                std::min(8u, plainDecimal(Text, B)));
    }
}

TEST(Scan, RandomText) {
  std::mt19937 Random(3);
  const char Alphabet[] = "0123456789abcdefABCDEF0123456789 g:/@`G\n\x80\xff";
  for (int Round = 0; Round < 200000; ++Round) {
    char Text[64];
    std::memset(Text, '\n', sizeof(Text));
    unsigned Size = Random() % 24;
    for (unsigned I = 0; I < Size; ++I)
      Text[I] = Random() % 20 ? Alphabet[Random() % (Round & 1 ? 10 : 32)]
                              : Alphabet[Random() % (sizeof(Alphabet) - 1)];
    uint64_t A, B;
    unsigned N = scanHex(Text, A);
    ASSERT_EQ(N, plainHex(Text, B)) << Text;
    if (N <= 16) {
      ASSERT_EQ(A, B) << Text;
    }
    if (unsigned Eight = leadingHex(load8(Text))) {
      // The value of the first digits is on top of the value of all.
      ASSERT_EQ(hexValue(load8(Text), Eight),
                B >> (4 * (std::min(N, 16u) - Eight)))
          << Text;
    }
    N = scanDecimal(Text, A);
    ASSERT_EQ(N, plainDecimal(Text, B)) << Text;
    if (N < 20) {
      ASSERT_EQ(A, B) << Text;
    }
  }
}
