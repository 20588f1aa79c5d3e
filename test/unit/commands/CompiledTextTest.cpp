//===- CompiledTextTest.cpp - Which texts are computed --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/CompiledText.h"
#include <gtest/gtest.h>

using namespace rw;

TEST(CompiledText, WhatHasOperatorsIsComputed) {
  for (const char *Text :
       {"i + 1",       "i&255",          "-i",          "!done",
        "~mask",       "a == b",         "a->b->c - 1", "list[2] * 3",
        "(a)-b",       "p->x<3",         "x ? y : z",   "*p + 1",
        "&a == &b",    "v[i].size >> 2", "f(x) % 2",    "a--b",
        "sizeof(int)", " sizeof x",      "(i + 1)",     " ((b) - 2) ",
        "(-x)",        "'(' == c",       "1'000 + i"})
    EXPECT_TRUE(isComputed(Text)) << Text;
  for (const char *Text :
       {"i",      "a->b",     "a.b.c",    "list[i + 1]->next",
        "*p",     "&x",       "**p",      "*p->q",
        "(*p).x", "*(p + 1)", "v0.4s",    "$x0",
        "",       " ",        "()",       "]",
        "a::b",   "Sp-",      "i +",      "sizeofx",
        "sizeof", "(x)",      "((p))->x", "((p->x))",
        "(*p)"})
    EXPECT_FALSE(isComputed(Text)) << Text;
}

TEST(CompiledText, ValuesHaveTheTypesOfC) {
  const Value Minus = computedValue({4, true}, false, uint64_t(-5));
  EXPECT_EQ(Minus.Type->Kind, TypeKind::Signed);
  EXPECT_EQ(Minus.number(), 0xfffffffbu);
  EXPECT_EQ(computedValue({8, false}, false, ~0ull).number(), ~0ull);
  EXPECT_EQ(computedValue({4, true}, true, 1).Type->Kind, TypeKind::Bool);
  // A float's value comes as a double.
  const Value Half = computedValue({4, true, true}, false, 0x3fe0000000000000u);
  EXPECT_EQ(Half.Type->Float, FloatKind::Single);
  EXPECT_EQ(Half.number(), 0x3f000000u);
}
