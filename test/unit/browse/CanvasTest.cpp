//===- CanvasTest.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Canvas.h"
#include "gtest/gtest.h"

using namespace rw::term;

TEST(Canvas, CountsColumns) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("…ä"), 2u);
  EXPECT_EQ(columns("漢字"), 4u);
  EXPECT_EQ(columns("e\u0301"), 1u); // a combining accent
  EXPECT_EQ(columns("\xff\xfe"), 2u);
  EXPECT_EQ(fitted("abcdef", 4, "~"), "abc~");
  EXPECT_EQ(fitted("漢字漢字", 4, "~"), "漢~");
  EXPECT_EQ(fitted("abc", 3, "~"), "abc");
  EXPECT_EQ(fitted("abc", 0, "~"), "");
  EXPECT_EQ(fittedInside("abcdefgh", 5, "~"), "ab~gh");
  EXPECT_EQ(fittedInside("abcdefgh", 6, "~"), "abc~gh");
  EXPECT_EQ(fittedInside("漢字漢字", 6, "~"), "漢~字");
  EXPECT_EQ(fittedInside("abc", 3, "~"), "abc");
  EXPECT_EQ(fittedInside("abc", 1, "~"), "~");
  EXPECT_EQ(padded("ä", 3), "ä  ");
  EXPECT_EQ(leftPadded("ä", 3), "  ä");
}

TEST(Canvas, WrapsAtBlanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("no such name", 20, 3, "~"), Lines({"no such name"}));
  EXPECT_EQ(wrapped("no such name here", 8, 3, "~"),
            Lines({"no such", "name", "here"}));
  EXPECT_EQ(wrapped("no such name", 7, 3, "~"), Lines({"no such", "name"}));
  EXPECT_EQ(wrapped("abcdefghij kl", 4, 9, "~"),
            Lines({"abcd", "efgh", "ij", "kl"}));
  EXPECT_EQ(wrapped("one two three", 4, 2, "~"), Lines({"one", "two~"}));
}

TEST(Canvas, LeavesOutWhatIsOutside) {
  Canvas C(6, 2, true);
  Area All(C, {0, 0, 6, 2});
  All.put(4, 0, "abc");
  All.put(-1, 1, "xyz");
  All.put(0, 2, "below");
  All.put(0, -1, "above");
  EXPECT_EQ(C.text(0), "    ab");
  EXPECT_EQ(C.text(1), "yz");
  Area Part = All.part({2, 1, 100, 100});
  EXPECT_EQ(Part.width(), 4);
  EXPECT_EQ(Part.height(), 1);
  Part.put(1, 0, "12345");
  EXPECT_EQ(C.text(1), "yz 123");
  All.put(5, 0, "漢"); // half of it has no room
  EXPECT_EQ(C.text(0), "    ab");
}

TEST(Canvas, OfAsciiHoldsAsciiOnly) {
  Canvas C(8, 2, false);
  Area All(C, {0, 0, 8, 2});
  All.put(0, 0, "a漢…\tb");
  All.rule(1);
  EXPECT_EQ(C.text(0), "a?? b");
  EXPECT_EQ(C.text(1), "- - - -");
}
