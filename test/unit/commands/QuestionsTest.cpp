//===- QuestionsTest.cpp - Commands on the tiny trace ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace rw;

using QuestionsTest = TinyTrace;

TEST_F(QuestionsTest, LastWriteOfARegister) {
  Here.When = 11;
  EXPECT_EQ(run({"last-write", "x1"}),
            "last write of x1: #1, 10 clk, line 5: 0x1004\n"
            "  add x1, x0, #0x2\n"
            "  <unknown> -> 0x0000000000000007, wrote all 8 bytes\n");
  EXPECT_EQ(run({"last-write", "$x1"}).substr(0, 24),
            "last write of $x1: #1, 1");
}

TEST_F(QuestionsTest, AskedAgainItWalksBack) {
  Here.When = 11;
  EXPECT_EQ(run({"last-write", "w0"}).substr(0, 22), "last write of w0: #10,");
  EXPECT_EQ(run({"last-write", "w0"}).substr(0, 25),
            "2nd last write of w0: #0,");
  EXPECT_EQ(run({"last-write", "w0"}),
            "error: no further last write of w0; ask again to begin anew");
  EXPECT_EQ(run({"last-write", "w0"}).substr(0, 22), "last write of w0: #10,");
  // Another question in between begins anew, too.
  run({"last-write", "x1"});
  EXPECT_EQ(run({"last-write", "w0"}).substr(0, 22), "last write of w0: #10,");
}

TEST_F(QuestionsTest, JsonDoesNotWalk) {
  Here.When = 11;
  std::string First = run({"last-write", "w0", "--json"});
  EXPECT_EQ(run({"last-write", "w0", "--json"}), First);
  EXPECT_NE(First.find("\"position\": 10"), std::string::npos) << First;
}

TEST_F(QuestionsTest, Goto) {
  Here.When = 11;
  run({"last-write", "x0", "--goto"});
  EXPECT_EQ(LastMove, "#10 last write of x0");
  run({"last-write", "x0", "--goto"});
  EXPECT_EQ(LastMove, "#0 last write of x0");
  EXPECT_EQ(run({"last-write", "x0", "--goto"}).substr(0, 7), "error: ");
  run({"back"});
  EXPECT_EQ(LastMove, "#10 back");
  run({"back"});
  EXPECT_EQ(LastMove, "#11 back");
  EXPECT_EQ(run({"back"}), "error: there is no movement to go back to");
  run({"forward", "2"});
  EXPECT_EQ(LastMove, "#0 forward");
  run({"goto", "#4"});
  EXPECT_EQ(run({"forward"}), "error: there is no movement to go forward to");
}

TEST_F(QuestionsTest, NextWriteCountsTheInstructionAboutToRun) {
  EXPECT_EQ(run({"next-write", "x0"}).substr(0, 22), "next write of x0: #0, ");
  Memory = {};
  // Who moves does not stay.
  EXPECT_EQ(run({"next-write", "x0", "--goto"}).substr(0, 22),
            "next write of x0: #10,");
  EXPECT_EQ(LastMove, "#10 next write of x0");
  Here.When = 10;
  Memory = {};
  EXPECT_EQ(run({"next-write", "x0"}).substr(0, 22), "next write of x0: #10,");
  EXPECT_EQ(run({"next-write", "x1"}),
            "error: x1 was never written from #10 (searched #10 to #11)");
}

TEST_F(QuestionsTest, FirstWrite) {
  Here.When = 7;
  EXPECT_EQ(run({"first-write", "0x8008"}).substr(0, 39),
            "first write of [0x8008, 8 bytes]: #2, 2");
}

TEST_F(QuestionsTest, PartialWritesAndPieces) {
  Here.When = 11;
  EXPECT_EQ(run({"last-write", "sp+8"}),
            "last write of sp+8 [0x8008, 8 bytes]: #7, 70 clk, line 17: "
            "0x101c\n"
            "  strb w4, [sp, #0x9]\n"
            "  0x0000000000000007 -> 0x000000000000ab07 (43783), wrote 1 of 8 "
            "bytes (1)\n"
            "  the other bytes are older: --pieces lists them\n");
  EXPECT_EQ(run({"last-write", "sp+8", "--pieces"}),
            "last write of sp+8 [0x8008, 8 bytes], in pieces:\n"
            "#7, 70 clk, line 17: 0x101c\n"
            "  strb w4, [sp, #0x9]\n"
            "  0x0000000000000007 -> 0x000000000000ab07 (43783), wrote 1 of 8 "
            "bytes (1)\n"
            "#2, 20 clk, line 7: 0x1008\n"
            "  str x1, [sp, #0x8]\n"
            "  <unknown> -> 0x0000000000000007, wrote 7 of 8 bytes (0, "
            "2..7)\n");
}

TEST_F(QuestionsTest, NeverWritten) {
  Here.When = 11;
  EXPECT_EQ(run({"last-write", "0x9000"}),
            "error: [0x9000, 8 bytes] was never written before #11 (searched "
            "#0 to #11)");
  EXPECT_EQ(run({"last-write", "x9"}),
            "error: x9 was never written before #11 (searched #0 to #11)");
  EXPECT_EQ(run({"last-write", "sp"}),
            "sp was not written before #11; the trace tells its value before "
            "the first instruction:\n  0x0000000000008000 (32768)\n");
  EXPECT_EQ(run({"last-write", "0x8020", "--size", "1"}),
            "[0x8020, 1 byte] was not written before #11; first seen by this "
            "read; written before the trace or outside it:\n"
            "#6, 60 clk, line 15: 0x1018\n"
            "  ldrb w4, [sp, #0x20]\n"
            "  0xab (171), read its byte\n");
}

TEST_F(QuestionsTest, Reads) {
  Here.When = 11;
  EXPECT_EQ(run({"last-read", "0x8008"}),
            "last read of [0x8008, 8 bytes]: #4, 40 clk, line 11: 0x1010\n"
            "  ldr w3, [sp, #0x8]\n"
            "  0x0000000000000007, read 4 of 8 bytes (0..3)\n");
  EXPECT_EQ(run({"next-read", "0x8008", "--at", "start"}).substr(0, 35),
            "next read of [0x8008, 8 bytes]: #4,");
  EXPECT_EQ(run({"last-read", "x0"}),
            "error: a trace tells which registers are written, not which are "
            "read; ask for a memory location");
}

TEST_F(QuestionsTest, BadLocations) {
  EXPECT_EQ(run({"last-write", "x99"}),
            "error: 'x99' is no register of this trace (AArch64) and no "
            "number, and there is no image to look up a symbol in (--image); "
            "did you mean 'x19' or 'x9'?");
  EXPECT_EQ(run({"last-write", "$nope"}).substr(0, 31),
            "error: '$nope' is no register o");
  EXPECT_EQ(run({"last-write", "node->key"}),
            "error: 'node->key' needs an image with debug information "
            "(--image) or LLDB: without, there are registers, numbers, "
            "symbols, + and -");
  EXPECT_EQ(run({"last-write", "pc"}),
            "error: every instruction writes the pc: use find or list");
  EXPECT_EQ(run({"last-write", "0x1000z"}), "error: '0x1000z' is not a number");
  EXPECT_EQ(run({"last-write", "x9+8"}),
            "error: the value of x9 is not known at #0");
  EXPECT_EQ(run({"last-write", "0x10", "--size", "0"}),
            "error: a size from 1 to 1048576 is wanted, not 0");
  EXPECT_EQ(run({"last-write", "0xffffffffffffffff"}),
            "error: [0xffffffffffffffff, 8 bytes] runs past the end of the "
            "address space");
  EXPECT_EQ(run({"last-write"}),
            "error: too few arguments; usage: rewind last-write <location> "
            "[options]");
  EXPECT_EQ(run({"last-write", "x0", "--at", "#99"}),
            "error: position #99 is out of range: the trace has #0 to #11");
}

TEST_F(QuestionsTest, History) {
  EXPECT_EQ(run({"history", "x0"}),
            "x0: <unknown> at #0\n"
            "#0                 0 clk  0x1000  0x0000000000000005\n"
            "#10              100 clk  0x1000  0x0000000000000005  "
            "(unchanged)\n"
            "-- 2 writes, searched #0 to #11; that is all\n");
  EXPECT_EQ(run({"history", "0x8008", "-r", "-c", "2"}),
            "[0x8008, 8 bytes]: <unknown> at #0\n"
            "#2                20 clk  0x1008  0x0000000000000007\n"
            "#4                40 clk  0x1010  read 0x0000000000000007  4 of 8 "
            "bytes (0..3)\n"
            "-- 2 accesses, searched #0 to #7; there are more (--count)\n");
}

TEST_F(QuestionsTest, Find) {
  EXPECT_EQ(run({"find", "0x1000", "--all"}),
            "#0                 0 clk  0x1000\n"
            "#10              100 clk  0x1000\n"
            "-- 2 visits, searched #0 to #11; that is all\n");
  run({"find", "0x1000", "--goto"});
  EXPECT_EQ(LastMove, "#10 next visit of 0x1000");
  EXPECT_EQ(run({"find", "0x1000", "--next"}),
            "error: no visit of 0x1000 after here (searched #11 to #11)");
  run({"find", "0x1000", "-p", "-g"});
  EXPECT_EQ(LastMove, "#0 previous visit of 0x1000");
  EXPECT_EQ(run({"find", "0x1020"}),
            "#8                80 clk  0x1020  (not taken)\n");
  EXPECT_EQ(run({"find", "exception"}),
            "#9                90 clk  0x1024  IRQ\n");
  EXPECT_EQ(run({"find", "quicksort.c:3"}),
            "error: there is no image to look up 'quicksort.c:3' in (--image)");
}

TEST_F(QuestionsTest, ListFilters) {
  EXPECT_EQ(run({"list", "--writes", "0x8008", "--grep", "^write .* = 0xab"}),
            "   #7             70 clk  0x101c  strb w4, [sp, #0x9]\n"
            "              write 0x8009 (1) = 0xab (171)\n"
            "-- 1 instruction, searched #0 to #11; that is all\n");
  EXPECT_EQ(run({"list", "#1", "--writes", "w0", "--json"}).substr(0, 17),
            "{\"executed\":true,");
  EXPECT_EQ(run({"list", "#1", "--writes", "w0", "--to", "#10", "--json"}),
            "{\"complete\":true,\"searched\":{\"from\":1,\"to\":10}}\n");
  EXPECT_EQ(run({"list", "--grep", "IRQ"}),
            "-- 0 instructions, searched #0 to #11; that is all\n");
  EXPECT_EQ(
      run({"list", "--grep", "x", "-c", "2", "--from", "#3"}).substr(0, 38),
      "   #3             30 clk  0x100c  mov ");
  auto Says = [&](std::vector<StringRef> Words, StringRef Error) {
    Words.insert(Words.begin(), "list");
    EXPECT_EQ(StringRef(run(Words)).take_front(7 + Error.size()),
              "error: " + Error.str());
  };
  Says({"--grep", "("}, "--grep '(': parentheses not balanced");
  Says({"--depth", "a"}, "--depth wants a number or two");
  Says({"--depth", ".."}, "--depth wants a number or two");
  Says({"--depth", "3..2"}, "--depth 3..2 is empty");
  Says({"--depth", "1"}, "the store of this trace was made without its calls");
  Says({"--function", "f"}, "there is no image to look up the functions");
  Says({"--writes", "x99"}, "'x99' is no register");
  Says({"--at", "#2"}, "--at is of the location of --writes");
  Says({"--grep", "x", "--size", "2"}, "--at and --size are of the location");
  Says({"#5", "--from", "#2"}, "either a position or --from");
  Says({"#5", "--grep", "x", "--to", "#2"}, "the position lies after --to");
}

TEST_F(QuestionsTest, ListFiltersAreStopped) {
  std::atomic<bool> Cancel = true;
  Watch.Cancel = &Cancel;
  EXPECT_EQ(run({"list", "--grep", "nothing", "--from", "#2"}),
            "-- 0 instructions, searched #2 to #2; interrupted\n");
  EXPECT_EQ(run({"list", "--writes", "x0", "--json"}),
            "{\"cancelled\":true,\"complete\":false,\"searched\":{\"from\":0,"
            "\"to\":0}}\n");
}

TEST_F(QuestionsTest, Diff) {
  EXPECT_EQ(run({"diff", "#2", "#8"}),
            "Registers:\n"
            "  x2         <unknown> -> 0x0000000000000007\n"
            "  x3         <unknown> -> 0x0000000000000007\n"
            "  x4         <unknown> -> 0x00000000000000ab (171)\n"
            "Memory:\n"
            "  0x8008: ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? ?? -> 07 "
            "ab 00 00 00 00 00 00 07 00 00 00 00 00 00 00\n"
            "  0x8018: ?? ?? ?? ?? ?? ?? ?? ?? -> 05 00 00 00 00 00 00 00\n"
            "-- 5 differences, searched #2 to #8; that is all\n");
  EXPECT_EQ(run({"diff", "#10", "#11"}),
            "-- 0 differences, searched #10 to #11; that is all\n");
}

TEST_F(QuestionsTest, OriginThroughMemory) {
  Here.When = 11;
  EXPECT_EQ(run({"origin", "x3", "--goto"}),
            "x3 = 0x0000000000000007\n"
            "  1  #4                40 clk  0x1010\n"
            "     ldr w3, [sp, #0x8]\n"
            "     x3 = 0x0000000000000007, loaded from [0x8008, 4 bytes]\n"
            "  2  #2                20 clk  0x1008\n"
            "     str x1, [sp, #0x8]\n"
            "     [0x8008, 4 bytes] = 0x00000007, stored from x1\n"
            "  3  #1                10 clk  0x1004\n"
            "     add x1, x0, #0x2\n"
            "     bytes 0..3 of x1 = 0x00000007, computed by this instruction "
            "from x0 = 0x0000000000000005\n");
  EXPECT_EQ(LastMove, "#1 origin of x3");
}

TEST_F(QuestionsTest, OriginEnds) {
  Here.When = 11;
  auto End = [&](std::vector<StringRef> Words) {
    Words.insert(Words.begin(), "origin");
    Words.push_back("--json");
    auto V = json::parse(run(Words));
    if (!V)
      return toString(V.takeError());
    const json::Object *E = V->getAsObject()->getObject("end");
    return E->getString("kind")->str() + ": " + E->getString("text")->str();
  };
  // The second register of the pair.
  EXPECT_EQ(End({"0x8018"}), "constant: a constant in this instruction");
  EXPECT_EQ(End({"0x8010"}).substr(0, 30), "computed: computed by this ins");
  EXPECT_EQ(End({"x4"}), "outside: [0x8020, 1 byte] was first seen by the read "
                         "at #6; written before the trace or outside it");
  EXPECT_EQ(End({"lr"}), "call: the return address of this call");
  EXPECT_EQ(End({"sp"}),
            "initial state: told by the trace before its first instruction");
  EXPECT_EQ(End({"x9"}),
            "unknown: the trace does not tell of a write of x9 before");
  EXPECT_EQ(End({"0x8008"}), "pieces: written in 3 pieces");
  EXPECT_EQ(End({"x3", "-c", "1"}), "limit: cut here: -c sets how far");
}

TEST_F(QuestionsTest, Why) {
  Here.When = 11;
  EXPECT_EQ(run({"why", "0x8008", "--size", "3"}),
            "[0x8008, 3 bytes] = 0x00ab07 (43783)\n"
            "  byte 0: written by #2 0x1008: str x1, [sp, #0x8]\n"
            "  byte 1: written by #7 0x101c: strb w4, [sp, #0x9]\n"
            "  byte 2: written by #2 0x1008: str x1, [sp, #0x8]\n");
  EXPECT_EQ(run({"why", "0x8020", "--size", "2"}),
            "[0x8020, 2 bytes] = 0x??ab\n"
            "  byte 0: seen by a read; written before the trace or outside it: "
            "#6 0x1018: ldrb w4, [sp, #0x20]\n"
            "  byte 1: unknown: no access of the trace tells it, and there is "
            "no image (--image)\n");
  EXPECT_EQ(run({"why", "0x8020", "--size", "1", "--at", "#2"}),
            "[0x8020, 1 byte] = 0xab (171)\n"
            "  byte 0: seen by a read later on, not written in between: #6 "
            "0x1018: ldrb w4, [sp, #0x20]\n");
  EXPECT_EQ(run({"why", "sp"}),
            "sp = 0x0000000000008000 (32768)\n"
            "  bytes 0..7: told by the trace before its first instruction\n");
}

TEST_F(QuestionsTest, Eval) {
  EXPECT_EQ(run({"eval", "x0", "--at", "0x1000"}),
            "#0                 0 clk  0x1000  <unknown>\n"
            "#10              100 clk  0x1000  0x0000000000000005\n"
            "-- 2 visits, searched #0 to #11; that is all\n");
  EXPECT_EQ(run({"eval", "x0", "--at", "0x2000"}),
            "-- 0 visits, searched #0 to #11; that is all\n");
}

TEST_F(QuestionsTest, ListJsonIsOneObjectPerInstruction) {
  InDebugger = false;
  std::string Text = run({"list", "--json"});
  SmallVector<StringRef> Lines;
  StringRef(Text).split(Lines, '\n', -1, /*KeepEmpty=*/false);
  ASSERT_EQ(Lines.size(), 11u);
  auto Fifth = json::parse(Lines[5]);
  ASSERT_TRUE(bool(Fifth));
  auto Expected = json::parse(R"({
    "position": 5, "thread": 1, "time": 50, "line": 13, "pc": "0x1014",
    "opcode": "0xa90103e2", "size": 4, "isa": "A64", "executed": true,
    "instruction": "stp x2, x0, [sp, #0x10]", "registers": {},
    "memory": [{"access": "write", "address": "0x8010", "size": 16,
                "value": "0x00000000000000050000000000000007"}]})");
  ASSERT_TRUE(bool(Expected));
  EXPECT_EQ(*Fifth, *Expected) << Lines[5].str();
  EXPECT_NE(Lines[8].find("\"executed\":true"), StringRef::npos);
  EXPECT_NE(Lines[8].find("\"taken\":false"), StringRef::npos);
  EXPECT_NE(Lines[9].find("\"text\":\"IRQ\""), StringRef::npos);
  EXPECT_NE(Lines[6].find("\"registers\":{\"x4\":\"0x00000000000000ab\"}"),
            StringRef::npos);
}

TEST_F(QuestionsTest, ListAroundAPosition) {
  Here.When = 4;
  EXPECT_EQ(run({"list", "-c", "3"}),
            "   #3             30 clk  0x100c  mov x2, x1\n"
            "              x2 = 0x0000000000000007\n"
            "-> #4             40 clk  0x1010  ldr w3, [sp, #0x8]\n"
            "              read  0x8008 (4) = 0x00000007\n"
            "              x3 = 0x0000000000000007\n"
            "   #5             50 clk  0x1014  stp x2, x0, [sp, #0x10]\n"
            "              write 0x8010 (16) = "
            "0x00000000000000050000000000000007\n"
            "-- 3 of 11 instructions; more follow (--count)\n");
}

TEST_F(QuestionsTest, Where) {
  Here.When = 8;
  EXPECT_EQ(run({"where"}),
            "#8 of 11, 80 clk, line 19: 0x1020\n"
            "  b.eq 0x1000   (not taken: its condition failed)\n");
  EXPECT_EQ(run({"where", "end"}), "#11 of 11, the end of the trace\n");
}

TEST_F(QuestionsTest, InfoJson) {
  auto V = json::parse(run({"info", "--json"}));
  ASSERT_TRUE(bool(V));
  const json::Object &O = *V->getAsObject();
  EXPECT_EQ(O.getString("format"), "tarmac");
  EXPECT_EQ(O.getString("architecture"), "aarch64");
  EXPECT_EQ(O.getInteger("instructions"), 11);
  EXPECT_EQ(O.getInteger("first_time"), 0);
  EXPECT_EQ(O.getInteger("last_time"), 100);
  EXPECT_EQ(O.getInteger("store_bytes"), int64_t(Store->storeBytes()));
  EXPECT_EQ(O.getObject("ignored_lines")->getInteger("MMU"), 3);
  EXPECT_EQ(O.getInteger("malformed_count"), 2);
  EXPECT_EQ(
      (*O.getArray("malformed_lines"))[0].getAsObject()->getInteger("line"), 5);
  EXPECT_EQ(O.getArray("threads")->size(), 1u);
  EXPECT_EQ(O.getObject("capabilities")->getBoolean("real_addresses"), false);
}

namespace {

/// A debugger that knows one variable, in memory, and one in a register.
struct FakeExpressions : ExpressionSource {
  Expected<Location> locate(StringRef Text, Place) override {
    Location L;
    L.Text = Text.str();
    if (Text == "node->key") {
      L.Addr = 0x8010;
      L.Size = 8;
      return L;
    }
    if (Text == "i") {
      L.Where = Location::Register;
      L.RegisterName = "x1";
      L.Slice = {1, 0, 4};
      L.Size = 4;
      return L;
    }
    return createStringError("use of undeclared identifier '" + Text + "'");
  }
  Expected<Evaluated> evaluate(StringRef Text, Place Where,
                               ValueStyle) override {
    return Evaluated{Text.str() + "@" + std::to_string(Where.When), {}};
  }
  std::vector<std::string> variables(Place) override { return {}; }
  std::optional<Object> objectAt(uint64_t) override { return std::nullopt; }
};

} // namespace

TEST_F(QuestionsTest, ExpressionsOfTheDebugger) {
  FakeExpressions Fake;
  Expressions = &Fake;
  Here.When = 11;
  run({"last-write", "node->key", "-g"});
  EXPECT_EQ(LastMove, "#5 last write of node->key");
  EXPECT_EQ(run({"last-write", "i"}).substr(0, 22), "last write of i: #1, 1");
  Here.When = 11;
  EXPECT_EQ(run({"last-write", "&", "node->key"}).substr(0, 48),
            "last write of & node->key [0x8010, 8 bytes]: #5,");
  EXPECT_EQ(run({"last-write", "nonsense", "(1)"}),
            "error: use of undeclared identifier 'nonsense (1)'");
  EXPECT_EQ(run({"last-write", "sp+8", "--at", "end"}).substr(0, 44),
            "last write of sp+8 [0x8008, 8 bytes]: #7, 70");
  EXPECT_EQ(run({"eval", "i", "--at", "0x1004"}).substr(34),
            "i@1\n-- 1 visit, searched #0 to #11; that is all\n");
}
