//===- PositionExprTest.cpp -----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/PositionExpr.h"
#include "TinyTrace.h"
#include "commands/support/Bookmarks.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace rw;

namespace {

class PositionExprTest : public TinyTrace {
protected:
  std::string parse(StringRef Text, std::optional<Place> From = {}) {
    Session S(*Store, nulls(), Memory);
    S.StorePath = path("tiny.rewind");
    S.Here = Here;
    S.Warn = [&](const std::string &W) { Warnings += W; };
    auto P = parsePosition(S, Text, std::nullopt, From);
    EXPECT_EQ(S.Here, Here);
    return P ? std::to_string(P->When) : toString(P.takeError());
  }
};

} // namespace

TEST_F(PositionExprTest, EveryForm) {
  Here.When = 5;
  EXPECT_EQ(parse("#3"), "3");
  EXPECT_EQ(parse(" 3 "), "3");
  EXPECT_EQ(parse("0,010"), "10");
  EXPECT_NE(parse("1,0").find("commas stand between groups of three"),
            std::string::npos);
  EXPECT_EQ(parse("start"), "0");
  EXPECT_EQ(parse("end"), "11");
  EXPECT_EQ(parse("#11"), "11");
  EXPECT_EQ(parse("+2"), "7");
  EXPECT_EQ(parse("-5"), "0");
  EXPECT_EQ(parse("+6"), "11");
  EXPECT_EQ(parse("t:20"), "2");
  EXPECT_EQ(parse("t:21"), "3") << "the first at or after that time";
  EXPECT_EQ(parse("t:20clk"), "2");
  EXPECT_EQ(parse("l:3"), "0");
  EXPECT_EQ(parse("l:4"), "0");
  EXPECT_EQ(parse("l:5"), "1");
  EXPECT_EQ(parse("l:1"), "0") << "before the first instruction";
  EXPECT_EQ(parse("l:24"), "10");
  EXPECT_EQ(parse("0%"), "0");
  EXPECT_EQ(parse("50%"), "5");
  EXPECT_EQ(parse("100%"), "11");
  EXPECT_EQ(parse("1:#3"), "3");
  EXPECT_EQ(parse("1:t:20"), "2");
  EXPECT_EQ(parse("1:50%"), "5");
}

TEST_F(PositionExprTest, FromElsewhere) {
  Here.When = 5;
  EXPECT_EQ(parse("+2", Place{0, 1}), "3");
  EXPECT_EQ(parse("+0", Place{0, 1}), "1");
  EXPECT_EQ(parse("+2-1", Place{0, 8}), "9");
  EXPECT_EQ(parse("-8", Place{0, 8}), "0");
  EXPECT_EQ(parse("+2"), "7");
}

TEST_F(PositionExprTest, Arithmetic) {
  Here.When = 5;
  EXPECT_EQ(parse("end-2"), "9");
  EXPECT_EQ(parse("end - 2"), "9");
  EXPECT_EQ(parse("start+3"), "3");
  EXPECT_EQ(parse("#4+3"), "7");
  EXPECT_EQ(parse("50%-1"), "4");
  EXPECT_EQ(parse("l:5+3"), "4");
  EXPECT_EQ(parse("t:20+1"), "3");
  EXPECT_EQ(parse("+2-1"), "6");
  EXPECT_EQ(parse("end-2-3"), "6");
  EXPECT_EQ(parse("1:end-1"), "10");
  EXPECT_EQ(parse("end-12"),
            "position end-12 is out of range: end is #11 of #0 to #11");
  EXPECT_EQ(parse("start+18446744073709551615"),
            "position start+18446744073709551615 is out of range: start is #0 "
            "of #0 to #11");
  EXPECT_EQ(parse("t:1.5ms"), "'t:1.5ms': the trace's time is in clk, and "
                              "nobody tells how long that is in ms");
  EXPECT_EQ(parse("t:20.5clk"), "3");
  // No bookmark may look like a sum.
  run({"bookmark", "add", "crash", "#7"});
  EXPECT_EQ(parse("crash-2"), "5");
  EXPECT_EQ(parse("1:crash-2"), "5");
  EXPECT_TRUE(StringRef(run({"bookmark", "add", "crash-2", "#1"}))
                  .starts_with("error: "));
  EXPECT_EQ(parse("crash-2"), "5");
  EXPECT_EQ(parse("crash-2+1"), "6");
  // An old one that does is meant by all of its name.
  std::error_code EC;
  raw_fd_ostream(path("tiny.rewind.bookmarks"), EC)
      << R"([{"name": "crash", "thread": 1, "position": 7},
             {"name": "crash-2", "thread": 1, "position": 1}])";
  ASSERT_FALSE(EC);
  EXPECT_EQ(parse("crash-2"), "1");
  EXPECT_EQ(parse("crash-2+1"), "2");
}

/// LLVM needs stack for each digit, we for each distance.
TEST_F(PositionExprTest, WhatIsTooLongIsRefused) {
  std::string Distances = "3", Digits = "0.";
  for (unsigned I = 0; I < 100'000; ++I) {
    Distances += "+1";
    Digits += '9';
  }
  EXPECT_EQ(parse(Distances), "a position of 200001 characters is too long");
  for (const char *Form : {"{0}", "{0}%", "t:{0}", "t:{0}ms", "1:{0}%"})
    EXPECT_NE(parse(formatv(Form, Digits).str()).find("is too long"),
              std::string::npos)
        << Form;
  for (std::vector<StringRef> Words :
       {std::vector<StringRef>{"find", "value", Digits},
        {"find", "0x8000", "--if", Digits},
        {"eval", "x0", "--at", Digits},
        {"list", "--grep", Digits}})
    EXPECT_EQ(run(Words).find("error: "), 0u) << Words.front().str();
}

TEST_F(PositionExprTest, OutOfRangeTellsTheRange) {
  Here.When = 5;
  EXPECT_EQ(parse("#12"),
            "position #12 is out of range: the trace has #0 to #11");
  EXPECT_EQ(parse("+7"),
            "position +7 is out of range: you are at #5 of #0 to #11");
  EXPECT_EQ(parse("-6"),
            "position -6 is out of range: you are at #5 of #0 to #11");
  EXPECT_EQ(parse("t:101"),
            "time 101 is out of range: the trace has 0 clk to 100 clk");
  EXPECT_EQ(parse("l:25"),
            "line 25 is out of range: the trace has lines 1 to 24");
  EXPECT_EQ(parse("l:0"),
            "line 0 is out of range: the trace has lines 1 to 24");
  EXPECT_EQ(parse("101%"), "'101%' is not a share from 0% to 100%");
  EXPECT_EQ(parse("2:#1"), "no thread '2'; the trace has 1");
  EXPECT_TRUE(llvm::StringRef(parse("src/main.c:38"))
                  .starts_with("'src/main.c:38' is a source line, not a "
                               "position: 'rewind find src/main.c:38' tells "
                               "where it runs; try #1234"));
  EXPECT_EQ(parse("main.c:#38"), "no thread 'main.c'; the trace has 1");
  EXPECT_EQ(parse("+18446744073709551615"),
            "position +18446744073709551615 is out of range: you are at #5 of "
            "#0 to #11");
}

TEST_F(PositionExprTest, Nonsense) {
  EXPECT_EQ(parse(""), "a position is missing");
  for (StringRef Bad : {"#", "12z", "nowhere", "0x", "%", "#-1"})
    EXPECT_EQ(parse(Bad).find(("'" + Bad + "' is not").str()), 0u)
        << parse(Bad);
  EXPECT_EQ(parse("+"), "'+' is not a distance, such as +10 or -10");
  EXPECT_EQ(parse("t:x"), "'t:x' is not a time, such as t:2044 or t:1.5ms");
  EXPECT_EQ(parse("nan%"), "'nan%' is not a share from 0% to 100%");
}

TEST_F(PositionExprTest, WhatCanBeNothingElse) {
  for (StringRef Text :
       {"5", "1,234", "#5", "50%", "t:3", "l:12", "2:#5", "2:5", "cpu1:#5",
        "=2:t:3", "cpu1:l:4", "+10", "-1,000", "2:+3", "+2-1"})
    EXPECT_TRUE(isWrittenAsPosition(Text)) << Text.str();
  for (StringRef Text : {"", "start", "main", "x0", "main.c:12", "ns::flag",
                         "a::b::c", "0x1000", "2:main", "item->n"})
    EXPECT_FALSE(isWrittenAsPosition(Text)) << Text.str();
}

TEST_F(PositionExprTest, Bookmarks) {
  EXPECT_EQ(run({"bookmark", "list"}), "no bookmarks\n");
  EXPECT_EQ(run({"bookmark", "add", "crash", "#7", "--note", "byte \"9\""}),
            "bookmark crash at #7\n");
  Here.When = 4;
  EXPECT_EQ(run({"bookmark", "add", "here"}), "bookmark here at #4\n");
  EXPECT_EQ(parse("crash"), "7");
  EXPECT_EQ(run({"bookmark", "list"}),
            "#4         here             \n"
            "#7         crash            byte \"9\"\n");
  EXPECT_EQ(run({"bookmark", "add", "crash", "end"}),
            "bookmark crash at #11\n");
  EXPECT_EQ(parse("crash"), "11");
  EXPECT_EQ(run({"bookmark", "delete", "nope"}),
            "error: there is no bookmark 'nope'");
  EXPECT_EQ(run({"bookmark", "delete", "crash"}), "");
  EXPECT_EQ(parse("crash").find("'crash' is not a position"), 0u);
  EXPECT_EQ(run({"bookmark", "add", "12"}).find("error: '12' cannot be"), 0u);
  EXPECT_EQ(run({"bookmark", "add", "end"}).find("error: 'end' cannot be"), 0u);
}

TEST_F(PositionExprTest, DamagedBookmarksAreNamedNotLost) {
  auto Write = [&](StringRef Text) {
    std::error_code EC;
    raw_fd_ostream(path("tiny.rewind.bookmarks"), EC) << Text;
    ASSERT_FALSE(EC);
  };
  Write("[{\"name\": \"a\"}]");
  EXPECT_NE(parse("a").find("tiny.rewind.bookmarks: expected objects with "
                            "name, thread and position"),
            std::string::npos);
  Write("nonsense");
  EXPECT_NE(parse("a").find("tiny.rewind.bookmarks: "), std::string::npos);
  // What cannot be a name needs no names.
  EXPECT_EQ(parse("start"), "0");
  EXPECT_EQ(parse("3"), "3");
  EXPECT_EQ(Warnings, "");
  EXPECT_NE(run({"bookmark", "add", "x"}).find("error: "), std::string::npos);
  Write("[{\"name\": \"far\", \"thread\": 1, \"position\": 99}]");
  EXPECT_NE(parse("far").find("is not a position"), std::string::npos);
  EXPECT_EQ(Warnings,
            "bookmark 'far' is out of the trace's range; it is ignored, but "
            "stays in the file");
  // It does: with all that others wrote into its entry.
  Write("[{\"name\": \"far\", \"thread\": 1, \"position\": 99, \"by\": 3}, "
        "{\"name\": \"away\", \"thread\": 7, \"position\": 1}]");
  EXPECT_EQ(run({"bookmark", "add", "x", "#2"}), "bookmark x at #2\n");
  EXPECT_EQ(run({"bookmark", "add", "y", "#3"}), "bookmark y at #3\n");
  EXPECT_EQ(run({"bookmark", "delete", "y"}), "");
  auto File = MemoryBuffer::getFile(path("tiny.rewind.bookmarks"));
  ASSERT_TRUE(bool(File));
  auto Root = json::parse((*File)->getBuffer());
  ASSERT_TRUE(bool(Root)) << toString(Root.takeError());
  const json::Array &List = *Root->getAsArray();
  ASSERT_EQ(List.size(), 3u);
  EXPECT_TRUE(
      List[0] ==
      json::Value(json::Object{
          {"name", "far"}, {"thread", 1}, {"position", 99}, {"by", 3}}));
  EXPECT_EQ(*List[1].getAsObject()->getString("name"), "away");
  EXPECT_EQ(*List[2].getAsObject()->getString("name"), "x");
  // Who wants to be rid of it says so, or gives its name to another.
  EXPECT_EQ(run({"bookmark", "delete", "far"}), "");
  EXPECT_EQ(run({"bookmark", "add", "away", "#1"}), "bookmark away at #1\n");
  Warnings.clear();
  EXPECT_EQ(run({"bookmark", "list"}),
            "#1         away             \n#2         x                \n");
  EXPECT_EQ(Warnings, "");
}
