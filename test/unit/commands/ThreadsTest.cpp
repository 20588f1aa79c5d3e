//===- ThreadsTest.cpp - Commands on a trace of two processors ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"

using namespace llvm;
using namespace rw;

namespace {

/// cpu0 and cpu1 run 1000 mov x0, #5 and 1004 add x1, x0, #2 in turns; the
/// second of them stores: moments 0 and 2 are cpu0's, 1, 3 and 4 cpu1's.
class ThreadsTest : public TinyTrace {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("rewind-commands", Folder));
    ItemBatch B;
    addInsn(B, 0x1000, 0xd28000a0, 0);
    addReg(B, 0, 5, 0);
    addInsn(B, 0x1000, 0xd28000a0, 1);
    addReg(B, 0, 5, 1);
    addInsn(B, 0x1004, 0x91000801, 0);
    addReg(B, 1, 7, 0);
    addInsn(B, 0x1004, 0x91000801, 1);
    addReg(B, 1, 0x107, 1);
    addInsn(B, 0x1008, 0xf90007e1, 1);
    addMem(B, 0x8008, 8, 0x107, MemItem::Write);
    TraceHeader H = header();
    H.Threads = {{"cpu0", 1}, {"cpu1", 2}};
    H.TotalLines = 10;
    build(B, H);
  }
};

} // namespace

TEST_F(ThreadsTest, PositionsNameTheirThread) {
  EXPECT_EQ(run({"where", "2:#1"}).substr(0, 47),
            "2:#1 of 3 in thread 2 (cpu1), 30 clk, line 7: 0");
  EXPECT_EQ(run({"where", "cpu1:end"}),
            "2:#3 of 3 in thread 2 (cpu1), the end of the trace\n");
  EXPECT_EQ(run({"where", "#2"}), "1:#2 of 2 in thread 1 (cpu0), its end\n");
  EXPECT_EQ(run({"where", "#3"}),
            "error: position #3 is out of range: thread 1 (cpu0) has #0 to #2");
  EXPECT_EQ(run({"where", "cpu2:#0"}),
            "error: no thread 'cpu2'; the trace has 1 (cpu0), 2 (cpu1)");
  // A line belongs to the thread whose line it is.
  EXPECT_EQ(run({"where", "l:3"}).substr(0, 27), "2:#0 of 3 in thread 2 (cpu1");
}

TEST_F(ThreadsTest, PositionsAreOfTheThreadThatIsMeant) {
  EXPECT_EQ(run({"list", "-t", "2", "--from", "1", "--to", "2"}),
            run({"list", "-t", "2", "--from", "2:#1", "--to", "2:#2"}));
  auto Position = [&](std::vector<StringRef> Words) {
    Words.insert(Words.begin(), "list");
    Words.insert(Words.end(), {"-t", "2", "-c", "1", "--json"});
    const std::string Text = run(Words);
    EXPECT_NE(Text.find("\"thread\":2"), std::string::npos) << Text;
    return Text.substr(Text.find("\"position\""), 12);
  };
  EXPECT_EQ(Position({"--from", "1"}), "\"position\":1");
  EXPECT_EQ(Position({"2"}), "\"position\":2");
  EXPECT_EQ(run({"list", "--from", "#3", "-t", "1"}),
            "error: position #3 is out of range: thread 1 (cpu0) has #0 to #2");
  EXPECT_EQ(run({"history", "x1", "-t", "2", "--from", "2", "--json"}),
            run({"history", "x1", "-t", "2", "--from", "2:#2", "--json"}));
  EXPECT_EQ(run({"last-write", "x1", "-t", "2", "--at", "2"}).substr(0, 22),
            "last write of x1: 2:#1");
  // A thread that is named with the position is that one.
  EXPECT_EQ(Position({"--from", "1:#1"}), "\"position\":1");
}

TEST_F(ThreadsTest, RegistersAreOfOneThread) {
  Here = {1, 5};
  EXPECT_EQ(run({"last-write", "x1"}).substr(0, 26),
            "last write of x1: 2:#1, 30");
  EXPECT_EQ(run({"last-write", "x1", "--thread", "cpu0"}).substr(0, 26),
            "last write of x1: 1:#1, 20");
  EXPECT_EQ(run({"last-write", "x1", "-t", "1", "--at", "2:#1"}).substr(0, 26),
            "last write of x1: 1:#1, 20");
}

TEST_F(ThreadsTest, MemoryIsOfAll) {
  Here = {0, 5};
  EXPECT_EQ(run({"last-write", "0x8008", "--goto"}).substr(0, 44),
            "last write of [0x8008, 8 bytes]: 2:#2, 40 cl");
  EXPECT_EQ(Here.Thread, 1u);
  EXPECT_EQ(Here.When, 4u);
  EXPECT_EQ(run({"find", "0x1004", "--all"}),
            "1:#1              20 clk  0x1004\n"
            "2:#1              30 clk  0x1004\n"
            "-- 2 visits, searched #0 to #5 of all threads together; that is "
            "all\n");
  EXPECT_EQ(run({"find", "0x1004", "--all", "-t", "2"}),
            "2:#1              30 clk  0x1004\n");
}

TEST_F(ThreadsTest, ListOneOrAll) {
  InDebugger = false;
  EXPECT_NE(run({"list"}).find("-- 5 of 5 instructions"), std::string::npos);
  std::string One = run({"list", "--thread", "cpu0"});
  EXPECT_NE(One.find("-- 2 of 5 instructions"), std::string::npos);
  EXPECT_EQ(One.find("2:#"), std::string::npos) << One;
}

TEST_F(ThreadsTest, DiffNamesTheThread) {
  EXPECT_EQ(run({"diff", "2:#1", "2:#3"}),
            "Registers:\n"
            "  2:x1       <unknown> -> 0x0000000000000107 (263)\n"
            "Memory:\n"
            "  0x8008: ?? ?? ?? ?? ?? ?? ?? ?? -> 07 01 00 00 00 00 00 00\n"
            "-- 2 differences, searched #3 to #5 of all threads together; that "
            "is all\n");
}
