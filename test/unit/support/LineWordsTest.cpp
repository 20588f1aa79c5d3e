//===- LineWordsTest.cpp --------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/LineWords.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw;
using Words = std::vector<std::string>;

/// None if the line is refused, which says why.
static std::optional<Words> wordsIn(llvm::StringRef Line) {
  auto Split = splitWords(Line);
  if (Split)
    return *Split;
  EXPECT_TRUE(llvm::StringRef(toString(Split.takeError()))
                  .starts_with("there is no second "));
  return std::nullopt;
}

TEST(LineWords, AreThoseOfLLDB) {
  EXPECT_EQ(wordsIn(" list\t--grep 'ldr .*\\[sp' "),
            Words({"list", "--grep", "ldr .*\\[sp"}));
  EXPECT_EQ(wordsIn(R"(ldr.*\[sp "a\[b" "a\"b\\")"),
            Words({"ldr.*\\[sp", "a\\[b", "a\"b\\"}));
  EXPECT_EQ(wordsIn(R"(a\ b c\'d '' x"y z"'w')"),
            Words({"a b", "c'd", "", "xy zw"}));
  EXPECT_EQ(wordsIn("a\\"), Words({"a\\"}));
  EXPECT_EQ(wordsIn(" \n "), Words());
  EXPECT_EQ(wordsIn("a 'b"), std::nullopt);
  EXPECT_EQ(wordsIn("a \"b\\\""), std::nullopt);
}

TEST(LineWords, WhatIsQuotedComesBack) {
  std::mt19937 Rng(1);
  for (int Round = 0; Round < 2000; ++Round) {
    Words Given(Rng() % 5);
    std::string Line;
    for (std::string &W : Given) {
      for (unsigned I = Rng() % 6; I; --I)
        W += "ab\\'\" \t`$[\xff"[Rng() % 11];
      Line += quoteWord(W) + std::string(1 + Rng() % 2, ' ');
    }
    EXPECT_EQ(wordsIn(Line), Given) << Line;
  }
}
