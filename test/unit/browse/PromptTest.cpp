//===- PromptTest.cpp -----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Prompt.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw::term;

namespace {
Prompt::Names none(const std::string &) { return {}; }
void nothing(const std::string &) {}
} // namespace

TEST(Prompt, TakesWhatIsTypedForWhatItProposes) {
  std::vector<std::string> Typed;
  auto Made = [&](std::vector<Key> Keys) {
    Prompt P("History of: ", "check", Typed, none, nothing);
    for (Key K : Keys)
      P.key(K);
    return P.text();
  };
  EXPECT_EQ(Made({}), "check");
  EXPECT_EQ(Made({'x', '0'}), "x0");
  EXPECT_EQ(Made({key::Backspace, 's'}), "checs");
  EXPECT_EQ(Made({key::End, 's'}), "checks");
  EXPECT_EQ(Made({key::Left, key::Right, 's'}), "checks");
  EXPECT_EQ(Made({key::Home, 's'}), "scheck");
}

TEST(Prompt, IsATextWithACursor) {
  std::mt19937 R(2);
  const char32_t Letters[] = {'a', 'b', ' ', U'ä', U'漢', '+'};
  auto Bytes = [](const std::u32string &Text) {
    std::string Out;
    for (char32_t C : Text)
      Out += C == U'ä' ? "ä" : C == U'漢' ? "漢" : std::string(1, char(C));
    return Out;
  };
  for (int Round = 0; Round < 300; ++Round) {
    std::vector<std::string> Typed;
    Prompt P("Go to: ", "", Typed, none, nothing);
    std::u32string Text;
    size_t At = 0;
    for (int Step = 0; Step < 60; ++Step) {
      switch (R() % 9) {
      case 0:
        P.key(key::Left);
        At -= At > 0;
        break;
      case 1:
        P.key(key::Right);
        At += At < Text.size();
        break;
      case 2:
        P.key(key::Backspace);
        if (At)
          Text.erase(--At, 1);
        break;
      case 3:
        P.key(key::Delete);
        if (At < Text.size())
          Text.erase(At, 1);
        break;
      case 4:
        P.key(key::ctrl('W'));
        {
          size_t From = At;
          while (From && Text[From - 1] == ' ')
            --From;
          while (From && Text[From - 1] != ' ')
            --From;
          Text.erase(From, At - From);
          At = From;
        }
        break;
      case 5:
        P.key(R() % 2 ? key::Home : key::ctrl('A'));
        At = 0;
        break;
      default: {
        char32_t C = Letters[R() % 6];
        P.key(C);
        Text.insert(At++, 1, C);
      }
      }
      ASSERT_EQ(P.text(), Bytes(Text));
      Canvas On(30, 1, true);
      P.draw(Area(On, {0, 0, 30, 1}));
      ASSERT_TRUE(On.Cursor);
    }
  }
}

TEST(Prompt, CompletesAsFarAsAllAgree) {
  std::vector<std::string> Typed = {"first"};
  auto Complete = [](const std::string &Word) {
    Prompt::Names N;
    for (std::string Name : {"quick", "quicksort", "queue"})
      if (Name.compare(0, Word.size(), Word) == 0)
        N.List.push_back(Name);
    return N;
  };
  Prompt P("p: ", "", Typed, Complete, nothing);
  for (char C : std::string("sp+q"))
    P.key(Key(C));
  P.key(key::Tab);
  EXPECT_EQ(P.text(), "sp+qu");
  Canvas On(40, 1, true);
  P.draw(Area(On, {0, 0, 40, 1}));
  EXPECT_EQ(On.text(0), "p: sp+qu  quick  quicksort  queue");
  P.key('i');
  P.key(key::Tab);
  EXPECT_EQ(P.text(), "sp+quick");
  P.key(key::Up);
  EXPECT_EQ(P.text(), "first");
  P.key(key::Down);
  EXPECT_EQ(P.text(), "");
  EXPECT_EQ(P.key(key::Return), Prompt::State::Entered);
  EXPECT_EQ(P.key(key::Escape), Prompt::State::GivenUp);
  EXPECT_EQ(P.key(key::ctrl('G')), Prompt::State::GivenUp);
}
