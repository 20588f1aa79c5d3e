//===- HtrCommandsTest.cpp - The htr commands on a made-up run ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//       1000          once
//  5 x: 1004 bl 2000  calls
//       2000            once
//  3 x: 2004 2008       a loop
//       200c ret
//       1008 100c     back to 1004
//       1010          once
//
// 1 + 5 * 11 + 1 = 57 instructions of 10 clk each.
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/htr/Htr.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/StoreBuilder.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace rw;

namespace {

class HtrCommands : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("htrcommands", Folder));
    build([&] {
      insn(0x1000);
      for (int I = 0; I < 5; ++I) {
        insn(0x1004, 0x940003ff); // bl 2000
        insn(0x2000);
        for (int K = 0; K < 3; ++K) {
          insn(0x2004);
          insn(0x2008, 0x54ffffe1); // b.ne 2004
        }
        insn(0x200c, 0xd65f03c0); // ret
        insn(0x1008);
        insn(0x100c, 0x54ffffc1); // b.ne 1004
      }
      insn(0x1010);
    });
  }
  /// Makes Store of what \p Program says.
  void build(function_ref<void()> Program) {
    std::string Source = (Folder + "/run.txt").str();
    StorePath = (Folder + "/run.rewind").str();
    std::error_code Code;
    raw_fd_ostream(Source, Code) << "made up\n";
    auto Builder = cantFail(
        StoreBuilder::create(StorePath, cantFail(SourceStamp::of(Source, "")),
                             StoreBuilder::Options()));
    CallRecogniser Calls;
    Builder->addObserver(Calls);
    Batch = {};
    Program();
    cantFail(Builder->consume(Batch));
    TraceHeader Header;
    Header.Format = "test";
    Header.Architecture = Arch::AArch64;
    Header.TimeUnit = "clk";
    Header.Can.Time = Header.Can.Opcodes = true;
    Header.Threads.push_back({"", 1});
    cantFail(Builder->finish(Header));
    Store = cantFail(TraceStore::open(StorePath));
  }
  void TearDown() override { sys::fs::remove_directories(Folder); }

  void insn(uint64_t PC, uint64_t Opcode = 0xd503201f) {
    InsnItem I;
    I.PC = PC;
    I.Opcode = Opcode;
    I.Time = 10 * Batch.Insns.size();
    I.Size = 4;
    I.Isa = ISA::A64;
    I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown | InsnItem::TimeKnown;
    Batch.Insns.push_back(I);
  }

  /// What a command prints, or "error: ...".
  std::string run(std::vector<StringRef> Words) {
    std::string Text;
    raw_string_ostream Out(Text);
    Session S(*Store, Out, Memory);
    S.TracePath = (Folder + "/run.txt").str();
    S.StorePath = StorePath;
    S.Here = Here;
    S.Warn = [&](const std::string &W) { Warnings += W + "\n"; };
    if (InDebugger)
      S.Move = [&](Place P, const std::string &Why) {
        Here = P;
        LastMove = "#" + std::to_string(P.When) + " " + Why;
        return Error::success();
      };
    unsigned Used = 0;
    const Command *C = findCommand(Words, Used);
    if (!C)
      return "error: no such command";
    Words.erase(Words.begin(), Words.begin() + Used);
    if (Error E = runCommand(*C, S, Words))
      return "error: " + toString(std::move(E));
    return Text;
  }
  json::Object json(std::vector<StringRef> Words) {
    Words.push_back("--json");
    std::string Text = run(Words);
    auto V = json::parse(Text);
    if (!V || !V->getAsObject()) {
      ADD_FAILURE() << Text;
      consumeError(V.takeError());
      return {};
    }
    return std::move(*V->getAsObject());
  }
  /// The id of the block with that name, looked for in the top layer's page.
  std::string idOf(StringRef Name) {
    std::string Id;
    std::function<void(const json::Array &)> Look = [&](const json::Array &A) {
      for (const json::Value &V : A) {
        const json::Object &O = *V.getAsObject();
        if (O.getString("name") == Name && O.getInteger("id"))
          Id = std::to_string(*O.getInteger("id"));
        if (const json::Array *Inside = O.getArray("inside"))
          Look(*Inside);
      }
    };
    json::Object Dump = json({"htr", "dump"});
    if (const json::Array *Items = Dump.getArray("items"))
      Look(*Items);
    EXPECT_NE(Id, "") << Name.str();
    return Id;
  }

  SmallString<128> Folder;
  std::string StorePath;
  ItemBatch Batch;
  std::unique_ptr<TraceStore> Store;
  SessionMemory Memory;
  Place Here;
  bool InDebugger = true;
  std::string LastMove, Warnings;
};

// A line of the page, and the block.
constexpr StringLiteral OuterLoop = "loop 0x1004";
constexpr StringLiteral OuterBlock = "loop 5 x 0x1004";

} // namespace

/// With --similar, loops whose passes differ have parts that are grouped.
TEST_F(HtrCommands, EverythingExpandsAtAnyDepth) {
  build([&] {
    for (unsigned I = 0; I < 60; ++I) {
      insn(0x1000, 0x94000400); // bl 2000
      insn(0x2000);
      for (unsigned K = 0; K < 1 + I % 4; ++K) {
        insn(0x2004);
        if (I * K % 3)
          insn(0x2008);
        insn(0x200c, 0x54ffffc1); // b.ne 2004
      }
      insn(0x2010, 0xd65f03c0); // ret
      insn(0x1004, 0x54ffffe1); // b.ne 1000
    }
  });
  unsigned Grouped = 0;
  for (const char *Pipeline : {"functions,bsb,loops", "bsb,loops", "loops",
                               "functions,bsb,flow-loops"}) {
    std::vector<StringRef> Run = {"htr", "run", Pipeline};
    if (!StringRef(Pipeline).ends_with("flow-loops"))
      Run.push_back("--similar");
    ASSERT_EQ(run(Run).find("error"), std::string::npos);
    auto File = htr::HtrFile::open(htr::layersPath(StorePath));
    ASSERT_TRUE(bool(File)) << toString(File.takeError());
    for (BlockId B = 0; B < (*File)->numBlocks(); ++B)
      for (const char *Depth : {"1", "2", "3", "5", "20", "1000"})
        for (bool Json : {false, true}) {
          std::string Label = "B" + std::to_string(B);
          std::vector<StringRef> Words = {"htr", "expand", Label, "--depth",
                                          Depth};
          if (Json)
            Words.push_back("--json");
          std::string Text = run(Words);
          BlockKind Kind = (*File)->kind(B);
          bool Leaf = Kind == BlockKind::Instruction;
          Grouped += Kind == BlockKind::Iterations;
          EXPECT_EQ(StringRef(Text).contains("error: "), Leaf)
              << Label << " " << Depth << ": " << Text;
        }
  }
  EXPECT_GT(Grouped, 0u);
  EXPECT_EQ(run({"htr", "expand", "B20", "--depth", "1001"}),
            "error: --depth must be from 1 to 1,000");
  EXPECT_EQ(run({"htr", "expand", "B20", "--depth", "4294967296"}),
            "error: --depth must be from 1 to 1,000");
}

/// However few slices are asked for: as many as lie in each other can be too
/// many.
TEST_F(HtrCommands, FewSlicesAreEnough) {
  std::string To = (Folder + "/x.json").str();
  for (const char *Max : {"1", "2", "3", "18446744073709551615"}) {
    std::string Text =
        run({"htr", "export", "ctf", "-o", To, "--max-slices", Max});
    EXPECT_TRUE(StringRef(Text).starts_with("wrote ")) << Max << ": " << Text;
  }
}

TEST_F(HtrCommands, LayersAreComputedOnceAndKept) {
  json::Object O = json({"htr", "layers"});
  EXPECT_NE(Warnings.find("computing the layers"), std::string::npos);
  const json::Array *Layers = O.getArray("layers");
  ASSERT_TRUE(Layers);
  ASSERT_EQ(Layers->size(), 4u);
  auto field = [&](size_t L, StringRef Key) {
    return *(*Layers)[L].getAsObject()->getInteger(Key);
  };
  EXPECT_EQ(*(*Layers)[1].getAsObject()->getString("pass"), "functions");
  EXPECT_EQ(field(0, "units"), 57);
  EXPECT_EQ(field(1, "units"), 22 + 8); // the function's eight once only
  EXPECT_EQ(field(1, "top_units"), 22);
  EXPECT_EQ(field(2, "units"), 7 + 5);
  EXPECT_EQ(field(3, "units"), 3 + 3);
  Warnings.clear();
  EXPECT_NE(run({"htr", "layers"}).find("functions,bsb,flow-loops over 57 "),
            std::string::npos);
  EXPECT_EQ(Warnings, "");
}

TEST_F(HtrCommands, DumpReadsLikeAPage) {
  std::string Text = run({"htr", "dump"});
  size_t Loop = Text.find(OuterBlock), Inner = Text.find("loop 3 x 0x2004");
  EXPECT_NE(Loop, std::string::npos) << Text;
  EXPECT_NE(Inner, std::string::npos) << Text;
  EXPECT_LT(Loop, Inner);
  EXPECT_NE(Text.find("3 of 3 units"), std::string::npos) << Text;
  json::Object Flat = json({"htr", "dump", "bsb", "--flat"});
  EXPECT_EQ(Flat.getArray("items")->size(), 7u);
  json::Object Part =
      json({"htr", "dump", "bsb", "--flat", "--from", "#12", "--to", "#30"});
  ASSERT_EQ(Part.getArray("items")->size(), 2u);
  EXPECT_EQ((*Part.getArray("items"))[0].getAsObject()->getInteger("position"),
            12);
  json::Object Few = json({"htr", "dump", "bsb", "--flat", "-c", "2"});
  EXPECT_EQ(Few.getBoolean("complete"), false);
  EXPECT_EQ(json({"htr", "dump", "0", "-c", "3"}).getArray("items")->size(),
            3u);
  EXPECT_EQ(run({"htr", "dump", "7"}),
            "error: there is no layer 7; the top one is 3");
}

TEST_F(HtrCommands, Block) {
  json::Object O = json({"htr", "block", idOf("0x2000()")});
  EXPECT_EQ(O.getString("kind"), "function");
  EXPECT_EQ(O.getInteger("occurrences"), 5);
  EXPECT_EQ(O.getInteger("instructions"), 8);
  EXPECT_EQ(O.getInteger("time"), 5 * 80);
  EXPECT_EQ(O.getString("entry_pc"), "0x2000");
  EXPECT_EQ(O.getString("exit_pc"), "0x200c");
  EXPECT_EQ(O.getObject("first")->getInteger("position"), 2);
  EXPECT_EQ(O.getObject("last")->getInteger("position"), 2 + 4 * 11);
  EXPECT_TRUE(O.getArray("calls")->empty());

  O = json({"htr", "block", "B" + idOf(OuterLoop)});
  EXPECT_EQ(O.getInteger("count"), 5);
  ASSERT_EQ(O.getArray("calls")->size(), 1u);
  const json::Object &Call = *(*O.getArray("calls"))[0].getAsObject();
  EXPECT_EQ(Call.getString("pc"), "0x2000");
  EXPECT_EQ(Call.getInteger("count"), 5);

  // An instruction: block 0 is the first of the trace.
  O = json({"htr", "block", "0"});
  EXPECT_EQ(O.getString("kind"), "instruction");
  EXPECT_EQ(O.getString("name"), "0x1000");
  EXPECT_EQ(O.getInteger("occurrences"), 1);
  EXPECT_EQ(run({"htr", "block", "x"}),
            "error: 'x' is not a block; blocks are called B17");
}

TEST_F(HtrCommands, Expand) {
  json::Object O = json({"htr", "expand", idOf("0x2000()"), "-k", "2"});
  const json::Array &Items = *O.getArray("items");
  ASSERT_EQ(Items.size(), 3u);
  EXPECT_EQ(Items[1].getAsObject()->getInteger("position"), 2 + 11 + 1);
  EXPECT_EQ(Items[1].getAsObject()->getObject("rounds")->getInteger("trips"),
            3);
  // As the functions layer tells it: plain instructions, one run of them.
  O = json({"htr", "expand", idOf("0x2000()"), "--layer", "functions"});
  EXPECT_EQ(O.getInteger("parts"), 8);
  EXPECT_EQ(O.getArray("items")->size(), 1u);
  EXPECT_EQ(run({"htr", "expand", "0"}),
            "error: B0 is an instruction: there is nothing in it");
}

TEST_F(HtrCommands, Goto) {
  std::string Function = idOf("0x2000()"), Loop = idOf(OuterLoop);
  run({"htr", "goto", Function, "--occurrence", "3"});
  EXPECT_EQ(LastMove, "#24 B" + Function + " 0x2000()");
  run({"htr", "goto", Function, "--next"});
  EXPECT_EQ(Here.When, 35u);
  run({"htr", "goto", Function, "--prev"});
  EXPECT_EQ(Here.When, 24u);
  run({"htr", "goto", Loop, "--iteration", "4"});
  EXPECT_EQ(LastMove,
            "#34 B" + Loop + " " + OuterBlock.str() + ", iteration 4");
  EXPECT_EQ(run({"htr", "goto", Loop, "--iteration", "6"}),
            "error: B" + Loop + " has iterations 1 to 5");
  EXPECT_EQ(run({"htr", "goto", Function, "--iteration", "1"}),
            "error: B" + Function + " is no loop; it has no iterations");
  EXPECT_EQ(run({"htr", "goto", Function, "-k", "9"}),
            "error: block B" + Function + " occurs 5 times only");
  Here.When = 56;
  EXPECT_EQ(run({"htr", "goto", Loop, "--next"}),
            "error: there is no later occurrence of B" + Loop + " from here");
  // An instruction block is found by the store.
  run({"htr", "goto", "2", "-k", "2"}); // 0x2000
  EXPECT_EQ(Here.When, 13u);
  // The shell has nothing to move, and tells the place all the same.
  InDebugger = false;
  EXPECT_NE(run({"htr", "goto", Function}).find("#2 of 57"), std::string::npos);
}

TEST_F(HtrCommands, Where) {
  // #29: fourth... 1 + 2 * 11 = 23 is the third call's bl; 24 2000; 25 2004
  // 26 2008; 27 2004.
  json::Object O = json({"htr", "where", "#27"});
  const json::Array &A = *O.getArray("enclosing");
  auto at = [&](size_t I) { return A[I].getAsObject(); };
  ASSERT_EQ(A.size(), 5u);
  EXPECT_EQ(at(0)->getString("name"), OuterBlock);
  EXPECT_EQ(at(0)->getInteger("iteration"), 3);
  EXPECT_EQ(at(1)->getString("pass"), "bsb");
  EXPECT_EQ(at(1)->getInteger("occurrence"), 3);
  EXPECT_EQ(at(2)->getString("name"), "0x2000()");
  EXPECT_EQ(at(2)->getInteger("start"), 24);
  EXPECT_EQ(at(3)->getInteger("iteration"), 2);
  EXPECT_EQ(at(3)->getInteger("iterations"), 3);
  EXPECT_EQ(at(4)->getInteger("start"), 27);
  EXPECT_NE(run({"htr", "where", "#27"}).find("iteration 2 of 3"),
            std::string::npos);
  EXPECT_EQ(run({"htr", "where", "end"}),
            "error: the end of the trace is in no block");
}

TEST_F(HtrCommands, HotAddsUpToTheTrace) {
  for (bool Blocks : {false, true}) {
    json::Object O = Blocks ? json({"htr", "hot", "--blocks", "-c", "100"})
                            : json({"htr", "hot"});
    int64_t Sum = 0;
    std::map<std::string, int64_t> Own;
    for (const json::Value &V : *O.getArray("items")) {
      const json::Object &Spot = *V.getAsObject();
      Sum += *Spot.getInteger("own");
      Own[Spot.getString("name")->str()] = *Spot.getInteger("own");
    }
    EXPECT_EQ(Sum, 57);
    EXPECT_EQ(O.getBoolean("complete"), true);
    if (!Blocks) {
      EXPECT_EQ(Own, (std::map<std::string, int64_t>{
                         {"loop 0x2004", 30},
                         {"loop 0x1004", 15},
                         {"0x2000() outside of loops", 10},
                         {"thread 1 outside of functions", 2}}));
    }
  }
}

TEST_F(HtrCommands, CompareTellsWhereRoundsPart) {
  build([&] {
    for (unsigned I = 0; I < 4; ++I) {
      insn(0x1000);
      if (I == 2) {
        insn(0x1004, 0x940003ff); // bl 2000
        insn(0x2000, 0xd65f03c0); // ret
      }
      insn(0x1008, 0x54ffffc1); // b.ne 1000
    }
    insn(0x100c);
  });
  std::string Loop = idOf("loop 0x1000");
  std::string Text = run({"htr", "compare", Loop, "1", "3"});
  EXPECT_NE(Text.find("The first 1 instructions are the same, to 0x1000"),
            std::string::npos)
      << Text;
  EXPECT_NE(Text.find("iteration 3 comes to 0x1004"), std::string::npos);
  json::Object O = json({"htr", "compare", Loop, "1", "3"});
  EXPECT_EQ(O.getInteger("common"), 1);
  EXPECT_EQ(O.getObject("b")->getInteger("position"), 4);
  EXPECT_EQ(O.getObject("a")->getString("next_pc"), "0x1008");
  const json::Array &Calls = *O.getArray("calls");
  ASSERT_EQ(Calls.size(), 1u);
  EXPECT_EQ(Calls[0].getAsObject()->getString("pc"), "0x2000");
  EXPECT_EQ(Calls[0].getAsObject()->getInteger("b"), 1);
  EXPECT_EQ(json({"htr", "compare", Loop, "1", "4"}).getBoolean("same"), true);
  EXPECT_EQ(run({"htr", "compare", Loop, "1", "5"}),
            "error: B" + Loop + " has iterations 1 to 4, not '5'");
  EXPECT_EQ(run({"htr", "compare", "B" + Loop, "1"}),
            "error: '1' is one iteration of B" + Loop +
                "; which other one is it compared with?");
}

TEST_F(HtrCommands, RunOtherPasses) {
  std::string Text = run({"htr", "run", "bsb,loops"});
  EXPECT_NE(Text.find("-- bsb,loops over 57"), std::string::npos) << Text;
  EXPECT_EQ(run({"htr", "run", "bsb,loop"}),
            "error: there is no pass 'loop'; there are functions, bsb, "
            "flow-loops, loops, grammar");
  EXPECT_EQ(run({"htr", "run", "loops", "--max-body", "0"}),
            "error: --max-body must be from 1 to 4096");
  EXPECT_EQ(run({"htr", "run", "grammar", "--similar"}),
            "error: --similar is for the pass loops, which is not to be run");
}

TEST_F(HtrCommands, ExportCtf) {
  std::string File = (Folder + "/layers.json").str();
  run({"htr", "export", "ctf", "-o", File});
  auto Buffer = MemoryBuffer::getFile(File);
  ASSERT_TRUE(bool(Buffer));
  auto V = json::parse((*Buffer)->getBuffer());
  ASSERT_TRUE(bool(V)) << toString(V.takeError());
  const json::Array &Events = *V->getAsObject()->getArray("traceEvents");
  // Begins and ends match on every track, and time never goes back on one.
  std::map<int64_t, std::vector<const json::Object *>> Open;
  std::map<int64_t, int64_t> Time, Slices;
  for (const json::Value &E : Events) {
    const json::Object &O = *E.getAsObject();
    StringRef Phase = *O.getString("ph");
    int64_t Track = *O.getInteger("tid");
    if (Phase == "M")
      continue;
    EXPECT_GE(*O.getInteger("ts"), Time[Track]);
    Time[Track] = *O.getInteger("ts");
    if (Phase == "B") {
      Open[Track].push_back(&O);
      ++Slices[Track];
    } else {
      ASSERT_EQ(Phase, "E");
      ASSERT_FALSE(Open[Track].empty());
      EXPECT_EQ(*O.get("name"), *Open[Track].back()->get("name"));
      EXPECT_EQ(*O.get("args"), *Open[Track].back()->get("args"));
      Open[Track].pop_back();
    }
  }
  for (auto &[Track, Names] : Open)
    EXPECT_TRUE(Names.empty());
  // The top layer comes first, and no track has the number of its process. The
  // loop; five times its body, the call, and the loop in it with its own.
  EXPECT_EQ(Slices[2], 2 + 5 * (1 + 1 + 2 + 3));
  EXPECT_EQ(Slices[3], 5 + 5 + 5 * 3); // 1004.., calls, 2004 2008
  EXPECT_EQ(Slices[4], 5);             // the calls
  EXPECT_EQ(run({"htr", "export", "ctf"}),
            "error: where to? name a file with -o");
  EXPECT_EQ(run({"htr", "export", "csv", "-o", File}).substr(0, 25),
            "error: 'csv' is no format");
  EXPECT_NE(run({"htr", "export", "perfetto", "-o", File}).find("wrote"),
            std::string::npos);
}
