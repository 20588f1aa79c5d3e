//===- ModelTest.cpp - Text and exceptions from elsewhere -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/ColouredText.h"
#include "core/support/Guarded.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace llvm;
using namespace rw;

TEST(Printable, PlainTextStays) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("std::map<int, char>::at(int) const"),
            "std::map<int, char>::at(int) const");
  EXPECT_EQ(printable("Gr\xc3\xb6\xc3\x9f"
                      "e \xe2\x82\xac \xf0\x9f\x90\x8c"),
            "Gr\xc3\xb6\xc3\x9f"
            "e \xe2\x82\xac \xf0\x9f\x90\x8c");
}

TEST(Printable, ColoursOfLLDBStayAndNothingIsHidden) {
  // A frame's line, and the source line of a stop.
  for (const char *Text :
       {"\x1b[36m0x4004c8\x1b[0m f", "a\x1b[1;4mb\x1b[m\tc\n"})
    EXPECT_EQ(printableInColour(Text), Text);
  for (const char *Text :
       {"\x1b[8mhidden", "\x1b[30mblack", "\x1b[31;8mx", "\x1b[2J", "\x1b[",
        "\x1b", "\x1b]0;title", "\x1b[31", "\x1b[38;5;0mx"})
    EXPECT_EQ(printableInColour(Text), printableLines(Text));
  EXPECT_EQ(printableInColour("\x1b[31m\x1b[8mx"), "\x1b[31m\\x1b[8mx");
}

TEST(Printable, NothingReachesATerminal) {
  EXPECT_EQ(printable("\x1b[31mred\x07\r\n\t\x7f"),
            "\\x1b[31mred\\x07\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printableLines("a\tb\n\x1b]0;title\n"), "a\tb\n\\x1b]0;title\n");
  EXPECT_EQ(printable(StringRef("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m"); // CSI of Latin-1
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m"); // the same, raw
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "evil"),
            "\\u202eevil");
  EXPECT_EQ(printable("\xff\xfe \xe2\x82"), "\\xff\\xfe \\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // a surrogate
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");          // overlong
}

TEST(Printable, IsPlainLooksAtEachByte) {
  std::mt19937 Random(1);
  // Bytes at the edges of what is plain, one of them anywhere in a text.
  constexpr unsigned char Edges[] = {0x00, 0x1f, 0x20, 0x7e, 0x7f,
                                     0x80, 0x9f, 0xff, '\n', '\t'};
  for (unsigned N = 0; N < 20000; ++N) {
    std::string Text(Random() % 40, 'a');
    for (unsigned Odd = Random() % 3; Odd > 0 && !Text.empty(); --Odd)
      Text[Random() % Text.size()] = char(Edges[Random() % std::size(Edges)]);
    for (StringRef Keep : {"", "\n", "\n\t"}) {
      const bool Want = llvm::all_of(Text, [&](char C) {
        return (C >= 0x20 && C < 0x7f) || Keep.contains(C);
      });
      ASSERT_EQ(isPlain(Text, Keep), Want) << N;
    }
  }
}

TEST(Guarded, ErrorsStay) {
  EXPECT_EQ(toString(guarded([] { return createStringError("mine"); })),
            "mine");
  EXPECT_FALSE(errorToBool(guarded([] { return Error::success(); })));
}

TEST(Guarded, WhatIsThrownBecomesAnError) {
  EXPECT_EQ(toString(guarded([]() -> Error {
              std::vector<int> V;
              V.resize(V.max_size() + 1);
              return Error::success();
            })),
            "this should not have happened, please report it: "
            "vector::_M_default_append");
  EXPECT_EQ(toString(guarded([]() -> Error { throw std::bad_alloc(); })),
            "there is not enough memory for this");
  EXPECT_EQ(toString(guarded([]() -> Error { throw 1; })),
            "this should not have happened, please report it: an exception");
}
