//===- PanesTest.cpp ------------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The browser on a trace that is made up, drawn on a canvas: what is shown by
// keys, one after the other, is what is shown by panes that were never drawn
// before.
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/Browser.h"
#include "gtest/gtest.h"
#include <random>

using namespace rw::term;
using namespace llvm;

namespace {

constexpr uint64_t Length = 500;

/// A trace of nops; every third one writes x0 and x1.
json::Object answer(StringRef What, json::Object F) {
  uint64_t At = numberIn(F, "at").value_or(0);
  auto Row = [](uint64_t P) {
    json::Object O{{"position", P},
                   {"next", P + 1},
                   {"pc", "0x8000"},
                   {"instruction", "nop"},
                   {"depth", int64_t(P / 50)},
                   {"memory", json::Array()}};
    if (P % 3 == 0)
      O["registers"] = json::Object{{"x0", "0x12345678123456781"},
                                    {"x1", "0x12345678123456781"}};
    else
      O["registers"] = json::Object();
    return O;
  };
  if (What == "hello")
    return json::Object{
        {"trace", "made up"},
        {"threads", json::Array{json::Object{{"instructions", Length}}}},
        {"can", json::Object{{"registers", true},
                             {"memory_values", true},
                             {"calls", true}}}};
  if (What == "where")
    return json::Object{{"position", At}, {"pc", "0x8000"}};
  if (What == "rows") {
    uint64_t Before = numberIn(F, "before").value_or(0),
             After = numberIn(F, "after").value_or(0);
    uint64_t From = At - std::min(At, Before),
             To = std::min(At + After, Length);
    json::Array Rows;
    for (uint64_t P = From; P < To; ++P)
      Rows.push_back(Row(P));
    return json::Object{{"rows", std::move(Rows)},
                        {"at_start", From == 0},
                        {"at_end", To == Length}};
  }
  if (What == "registers") {
    json::Array List;
    for (const char *Name : {"x0", "x1", "x2"})
      List.push_back(json::Object{
          {"name", Name}, {"size", 8}, {"value", "0x" + std::to_string(At)}});
    return json::Object{{"registers", std::move(List)}};
  }
  if (What == "memory")
    return json::Object{{"address", "0x1000"},
                        {"offset", 0},
                        {"bytes", std::string(512, '0')},
                        {"changed", std::string(256, '0')},
                        {"since", At}};
  if (What == "resolve" && F.getString("text") == StringRef("100"))
    return json::Object{{"kind", "position"}, {"thread", 1}, {"at", 100}};
  return json::Object{{"error", ("no answer to " + What).str()}};
}

std::vector<std::string> drawn(Browser &B, int Width, int Height) {
  Canvas C(Width, Height, true);
  B.draw(C);
  std::vector<std::string> Lines;
  for (int Y = 0; Y < Height; ++Y)
    Lines.push_back(C.text(Y));
  return Lines;
}

} // namespace

TEST(Browser, MovesByRows) {
  auto M = TraceModel::open(answer);
  ASSERT_TRUE(bool(M));
  Browser B(*M);
  std::mt19937 R(3);
  int64_t At = 0;
  for (int Step = 0; Step < 3000; ++Step) {
    if (R() % 3)
      drawn(B, 80, 24); // keys may come between pictures, or not
    switch (R() % 5) {
    case 0:
      B.key(key::Up);
      At = std::max<int64_t>(At - 1, 0);
      break;
    case 1:
      B.key(key::ctrl('L'));
      break;
    default:
      B.key(key::Down);
      At = std::min<int64_t>(At + 1, Length);
    }
    ASSERT_EQ(M->here().At, uint64_t(At));
  }
  B.key(key::End);
  EXPECT_EQ(M->here().At, Length);
  B.key(key::AltLeft);
  EXPECT_EQ(M->here().At, uint64_t(At));
}

TEST(Browser, DrawsTheSameTwice) {
  const Key Keys[] = {key::Up,     key::Down,  key::PageUp, key::PageDown,
                      key::Home,   key::End,   key::Tab,    key::BackTab,
                      key::Left,   key::Right, 'a',         'r',
                      'm',         'l',        'g',         '1',
                      '0',         '?',        key::Return, key::Escape,
                      '<',         '>',        'x',         '-',
                      'h',         'S',        'V',         key::ctrl('L'),
                      key::F6,     'c',        'z',         'B',
                      key::AltLeft};
  std::mt19937 R(4);
  for (int Round = 0; Round < 500; ++Round) {
    auto M = TraceModel::open(answer);
    ASSERT_TRUE(bool(M));
    Browser B(*M);
    int Width = 20 + int(R() % 180), Height = 6 + int(R() % 50);
    for (int Step = 0; Step < 40; ++Step) {
      Key K = Keys[R() % std::size(Keys)];
      ASSERT_TRUE(B.key(K));
      if (R() % 9 == 0) {
        Width = 1 + int(R() % 200);
        Height = 1 + int(R() % 60);
      }
      auto First = drawn(B, Width, Height);
      ASSERT_EQ(First, drawn(B, Width, Height)) << Round << " " << Step;
      ASSERT_LE(M->here().At, Length);
    }
  }
}

TEST(RegisterPane, MarksThePartsThatChanged) {
  // q3 holds d6 and d7; the row before wrote d6.
  json::Object Answer{
      {"registers",
       json::Array{json::Object{{"name", "q3"},
                                {"set", "float"},
                                {"size", 16},
                                {"value", "0x" + std::string(32, '1')},
                                {"changed", true},
                                {"changed_bytes", "1111111100000000"}},
                   json::Object{{"name", "q4"},
                                {"set", "float"},
                                {"size", 16},
                                {"value", "0x" + std::string(32, '1')},
                                {"changed", true}}}}};
  auto Marked = [&](RegisterKind K) {
    std::string Names;
    for (const ShownRegister &R : registersOf(Answer, K))
      if (R.Changed)
        Names += R.Name + " ";
    return Names;
  };
  EXPECT_EQ(Marked(RegisterKind::Double), "d6 d8 d9 ");
  EXPECT_EQ(Marked(RegisterKind::Single), "s12 s13 s16 s17 s18 s19 ");
  EXPECT_EQ(Marked(RegisterKind::Vector), "q3 q4 ");
}
