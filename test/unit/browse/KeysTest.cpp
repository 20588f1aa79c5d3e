//===- KeysTest.cpp -------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Keys.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace rw::term;

TEST(Keys, AreAllUnderstoodAndMeanOneThing) {
  std::set<std::pair<Scope, Key>> Seen;
  for (const Binding &B : bindings())
    for (llvm::StringRef Name : llvm::split(B.Keys, ' ')) {
      auto K = parseKey(Name);
      ASSERT_TRUE(K) << Name.str();
      EXPECT_TRUE(Seen.insert({B.Where, *K}).second) << Name.str();
      EXPECT_FALSE(B.Help.empty());
    }
  EXPECT_FALSE(parseKey("F13"));
  EXPECT_FALSE(parseKey("Ctrl-"));
  EXPECT_EQ(parseKey("Ctrl-L"), key::ctrl('L'));
}

TEST(Keys, MeanWhatThePaneSaysFirst) {
  const Scope Memory[] = {Scope::Memory, Scope::State, Scope::Any};
  const Scope Trace[] = {Scope::Trace, Scope::Any};
  EXPECT_EQ(actionOf(Memory, '['), Action::LastChange);
  EXPECT_EQ(actionOf(Trace, '['), Action::FoldCallees);
  EXPECT_EQ(actionOf(Memory, 'q'), Action::Quit);
  EXPECT_EQ(actionOf(Memory, 'e'), std::nullopt);
}

TEST(Keys, OfTarmacBrowserAreThere) {
  const Scope Trace[] = {Scope::Trace, Scope::Any};
  for (llvm::StringRef Name :
       {"Tab",  "F1",  "F10",    "q",  "Up", "Down", "PgUp", "PgDn",
        "Home", "End", "Ctrl-L", "l",  "t",  "p",    "P",    "n",
        "N",    "e",   "E",      "-",  "_",  "+",    "=",    "[",
        "]",    "{",   "}",      "r",  "S",  "D",    "V",    "M",
        "m",    "a",   "Return", "F6", "F7"})
    EXPECT_TRUE(actionOf(Trace, *parseKey(Name))) << Name.str();
  for (auto Where : {Scope::Registers, Scope::Memory}) {
    const Scope State[] = {Where, Scope::State};
    for (llvm::StringRef Name : {"Up", "Down", "Left", "Right", "Return", "<",
                                 ">", "l", "t", "Ctrl-L"})
      EXPECT_TRUE(actionOf(State, *parseKey(Name))) << Name.str();
  }
}
