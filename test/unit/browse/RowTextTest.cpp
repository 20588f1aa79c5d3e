//===- RowTextTest.cpp ----------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/view/terminal/RegisterPane.h"
#include "commands/view/terminal/TraceRowText.h"
#include "gtest/gtest.h"

using namespace rw::term;
using namespace llvm;

namespace {
json::Object parse(StringRef Text) {
  auto V = json::parse(Text);
  EXPECT_TRUE(bool(V));
  return std::move(*V->getAsObject());
}
std::vector<std::string> texts(const std::vector<Line> &Lines) {
  std::vector<std::string> All;
  for (const Line &L : Lines)
    All.push_back(plainText(L));
  return All;
}
const char *Load = R"({"position": 7, "next": 12, "pc": "0x8000",
  "instruction": "ldp x2, x10, [x1] <there>", "depth": 3, "executed": true,
  "registers": {"x10": "0x00000000000000ff", "x2": null},
  "memory": [{"access": "read", "address": "0x9000", "size": 16,
              "value": "0x0a"}],
  "events": [{"kind": "exception", "text": "IRQ"}]})";
} // namespace

TEST(RowText, HasEffectsWhereTheyFit) {
  RowStyle S;
  S.PositionWidth = 3;
  S.PCWidth = 6;
  S.BaseDepth = 1;
  S.Width = 100;
  EXPECT_EQ(texts(linesOf(parse(Load), S)),
            (std::vector<std::string>{
                "  * exception: IRQ",
                "+  #7 0x8000   ldp x2, x10, [x1] <there> [4 hidden]  "
                "[0x9000]→0xa  x2=?  x10=0xff"}));
  S.Width = 44;
  S.Utf8 = false;
  S.Targets = false;
  S.Indent = false;
  EXPECT_EQ(
      texts(linesOf(parse(Load), S)),
      (std::vector<std::string>{"  * exception: IRQ",
                                "+  #7 0x8000 ldp x2, x10, [x1] [4 hidden]",
                                "                 [0x9000]->0xa  x2=?",
                                "                 x10=0xff"}));
}

TEST(RowText, MarksAnEffect) {
  RowStyle S;
  S.Marked = 2;
  unsigned Marked = 0;
  for (const Line &L : linesOf(parse(Load), S))
    for (const Span &Part : L)
      if (Part.Reverse) {
        ++Marked;
        EXPECT_EQ(Part.Text, "x10=0xff");
      }
  EXPECT_EQ(Marked, 1u);
  EXPECT_EQ(effectsOf(parse(Load)).size(), 3u);
}

TEST(Registers, AreCutAsTheArchitectureNamesThem) {
  json::Object O = parse(R"({"registers": [
    {"name": "x0", "size": 8, "value": "0x0000000000000001", "changed": true},
    {"name": "x1", "size": 8, "value": null},
    {"name": "v1", "size": 16, "set": "float",
     "value": "00 00 c0 3f 00 00 00 00 ?? ?? ?? ?? ?? ?? ?? ??"},
    {"name": "q1", "size": 16, "set": "float",
     "value": "00 00 80 3f 00 00 00 40 00 00 00 00 00 00 f0 3f"},
    {"name": "TTBR0", "size": 8, "set": "system", "value": null}]})");
  auto Names = [&](RegisterKind K) {
    std::vector<std::string> All;
    for (const ShownRegister &R : registersOf(O, K))
      All.push_back(R.Name + "=" + R.Value + " " + R.Meaning);
    return All;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(Names(RegisterKind::Core),
            (List{"x0=0000000000000001 ", "x1=???????????????? "}));
  EXPECT_EQ(Names(RegisterKind::Single),
            (List{"s1=3fc00000 1.5", "s4=3f800000 1", "s5=40000000 2",
                  "s6=00000000 0", "s7=3ff00000 1.875"}));
  EXPECT_EQ(Names(RegisterKind::Double),
            (List{"d1=000000003fc00000 5.2842668622670356e-315",
                  "d2=400000003f800000 2.0000004731118679",
                  "d3=3ff0000000000000 1"}));
  EXPECT_EQ(Names(RegisterKind::System), List());
  EXPECT_EQ(Names(RegisterKind::Mve),
            (List{"q1=3ff0000000000000400000003f800000 "}));
  EXPECT_TRUE(registersOf(O, RegisterKind::Core)[0].Changed);
}

TEST(RowText, CutsNamesBeforeWhatHappened) {
  json::Object Row{{"position", 7},
                   {"next", 8},
                   {"pc", "0x8000"},
                   {"instruction",
                    "b.ne 0x8010 <std::map<int, std::vector<long "
                    "long>>::operator[](int const&)+0x10>"},
                   {"taken", false},
                   {"memory", json::Array()}};
  for (unsigned Width = 40; Width < 140; ++Width) {
    RowStyle S;
    S.Width = Width;
    S.PositionWidth = 3;
    S.PCWidth = 6;
    std::vector<Line> Lines = linesOf(Row, S);
    ASSERT_EQ(Lines.size(), 1u);
    std::string Text = plainText(Lines[0]);
    EXPECT_LE(columns(Text), Width);
    EXPECT_TRUE(StringRef(Text).ends_with(" (not taken)")) << Text;
    EXPECT_NE(Text.find("b.ne 0x8010"), std::string::npos) << Text;
    if (Width >= 60) { // both ends of the name
      EXPECT_NE(Text.find("+0x10>"), std::string::npos) << Text;
    }
  }
}
