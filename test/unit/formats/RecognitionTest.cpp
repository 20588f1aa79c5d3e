//===- RecognitionTest.cpp - Which format a file is opened with -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are made up: this program has a list of its own in place of the
// library's.
//
//===----------------------------------------------------------------------===//

#include "core/formats/TraceFormat.h"
#include "test/unit/formats/Collect.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace rw;

namespace {

template <char Letter, unsigned Score>
unsigned sniff(StringRef, ArrayRef<uint8_t> Head) {
  return toStringRef(Head).contains(Letter) ? Score : 0;
}

/// Says which it is, and opens nothing.
template <char Letter>
TraceFormat::Reader open(std::unique_ptr<InputStream>, const ReaderOptions &) {
  return badTrace(Twine("opened as ") + Twine(Letter));
}

template <char Letter, unsigned Score>
constexpr TraceFormat made(StringLiteral Name) {
  return {.Name = Name,
          .Description = "made up",
          .Sniff = sniff<Letter, Score>,
          .OpenStream = open<Letter>};
}

constexpr TraceFormat First = made<'a', 60>("first"),
                      Second = made<'b', 60>("second"),
                      Third = made<'c', 80>("third");
const TraceFormat *const All[] = {&First, &Second, &Third};

std::string problemOf(StringRef Text, StringRef Format = "") {
  TempFile File(Text.str());
  auto Reader = openTrace(File.Path, Format, {});
  return Reader ? "none" : toString(Reader.takeError());
}

} // namespace

ArrayRef<const TraceFormat *> rw::traceFormats() { return All; }

TEST(Recognition, TheMostLikelyFormatIsTaken) {
  EXPECT_EQ(problemOf("..a.."), "opened as a");
  EXPECT_EQ(problemOf("..b.."), "opened as b");
  EXPECT_EQ(problemOf("..c.b.."), "opened as c");
  EXPECT_EQ(problemOf("..abc.."), "opened as c");
}

TEST(Recognition, OfTwoEquallyLikelyNoneIsTaken) {
  EXPECT_TRUE(StringRef(problemOf("..ab.."))
                  .ends_with("' looks as much like first as like second: name "
                             "the one it is with --format"))
      << problemOf("..ab..");
  EXPECT_EQ(problemOf("..ab..", "second"), "opened as b");
}

TEST(Recognition, WhatLooksLikeNoneIsTold) {
  EXPECT_TRUE(StringRef(problemOf("..."))
                  .contains("does not look like a trace of any known format"));
}
