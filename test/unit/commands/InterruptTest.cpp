//===- InterruptTest.cpp - Commands that are stopped ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every command that reports its progress is stopped at every kind of report
// that it makes: it must fail with "interrupted" and leave no file behind.
// Profiles and searches tell what they have.
//
//===----------------------------------------------------------------------===//

#include "TinyTrace.h"
#include "core/calls/CallRecogniser.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <set>

using namespace llvm;
using namespace rw;

namespace {

class Interrupt : public TinyTrace {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("interrupt", Folder));
    std::error_code Code;
    raw_fd_ostream(path("tiny.tarmac"), Code)
        << "1 clk IT (1) 00001000 d503201f O EL1h_s : NOP\n";
    // Functions that call each other and loop; a jump to another one's start.
    ItemBatch B;
    addReg(B, 31, 0x8000);
    for (int I = 0; I < 40; ++I) {
      addInsn(B, 0x1000, 0xd503201f);
      addInsn(B, 0x1004, 0x940003ff); // bl 2000
      addReg(B, 30, 0x1008);
      for (int K = 0; K < 3; ++K) {
        addInsn(B, 0x2000, 0xd503201f);
        addInsn(B, 0x2004, 0x54ffffe1); // b.ne 2000
      }
      addInsn(B, 0x2008, 0x140003fe); // b 3000
      addInsn(B, 0x3000, 0xd65f03c0); // ret
      addInsn(B, 0x1008, 0x17fffffe); // b 1000
    }
    for (int I = 0; I < 30; ++I)
      addInsn(B, 0x1000 + 4 * I, 0xd503201f);
    CallRecogniser Calls;
    build(B, header(), &Calls);
    ASSERT_TRUE(Store);
  }

  std::set<std::string> files() {
    std::set<std::string> Names;
    std::error_code Code;
    for (sys::fs::directory_iterator I(Folder, Code), E; I != E && !Code;
         I.increment(Code))
      Names.insert(I->path());
    return Names;
  }
};

TEST_F(Interrupt, EveryLongCommandEverywhere) {
  struct {
    std::vector<StringRef> Words;
    std::set<std::string> Reports;
  } const Commands[] = {
      {{"calls", "tree", "-o", "OUT"}, {"walking calls"}},
      {{"calls", "tree", "--json", "-o", "OUT"}, {"walking calls"}},
      {{"calls", "tree", "--style", "tarmac", "-o", "OUT"}, {"walking calls"}},
      {{"calls", "info", "0x2000"}, {"walking calls"}},
      {{"profile", "functions"}, {"walking calls"}},
      {{"profile", "functions", "--style", "tarmac"}, {"walking calls"}},
      {{"export", "flamegraph", "-o", "OUT"}, {"walking calls"}},
      {{"export", "svg", "-o", "OUT"}, {"walking calls"}},
      {{"export", "speedscope", "-o", "OUT"}, {"walking calls"}},
      {{"export", "pprof", "-o", "OUT"}, {"profiling"}},
      {{"export", "perfetto", "-o", "OUT"}, {"walking calls"}},
      {{"export", "ctf", "-o", "OUT"}, {"walking calls"}},
      {{"export", "vcd", "-o", "OUT"}, {"writing"}},
      {{"htr", "run"},
       {"functions", "bsb", "flow-loops", "counting blocks", "finding blocks"}},
      {{"htr", "run", "grammar"}, {"grammar"}},
      {{"htr", "run", "loops", "--similar"}, {"loops"}},
  };
  std::string Out = path("out");
  for (auto &C : Commands) {
    std::vector<StringRef> Words = C.Words;
    for (StringRef &W : Words)
      if (W == "OUT")
        W = Out;
    std::set<std::string> Reports;
    Watch = {};
    Watch.Progress = [&](StringRef What, uint64_t Done, uint64_t Total) {
      Reports.insert(What.str());
      EXPECT_TRUE(!Total || Done <= Total)
          << What.str() << ": " << Done << " of " << Total;
    };
    std::string Name = join(Words, " ");
    std::string Text = run(Words);
    EXPECT_EQ(Text.find("error:"), std::string::npos) << Name << ": " << Text;
    for (const std::string &Expected : C.Reports)
      EXPECT_TRUE(Reports.count(Expected)) << Name << ": " << Expected;
    sys::fs::remove(Out);
    sys::fs::remove(path("tiny.rewind.htr"));

    for (const std::string &At : Reports) {
      std::atomic<bool> Cancel = false;
      Watch.Cancel = &Cancel;
      Watch.Progress = [&](StringRef What, uint64_t, uint64_t) {
        Cancel = Cancel || What == At;
      };
      std::set<std::string> Before = files();
      Text = run(Words);
      // A listing tells how far it came.
      if (Words[0] == "calls" && Words[1] == "info")
        EXPECT_TRUE(StringRef(Text).ends_with("; interrupted\n")) << Text;
      else
        EXPECT_EQ(Text, "error: interrupted") << Name << " at " << At;
      EXPECT_EQ(files(), Before) << Name << " at " << At;
    }
  }
}

/// Interrupted anywhere, a search tells what there is where it says it looked.
TEST_F(Interrupt, FindTellsHowFarItCame) {
  const std::vector<std::vector<StringRef>> Kinds = {
      {"0x2000"},
      {"0x2000", "--if", "$sp == 0x8000"},
      {"0x2000", "--if", "$sp == 3"},
      {"call", "0x2000"},
      {"opcode", "54ffffe1"},
      {"opcode", "d503201f"}, // at so many places that it is a scan
      {"opcode", "d503201f", "--if", "$x30 == 0x1008"},
      {"mnemonic", "b.ne"},
      {"value", "0x1008"},
      {"value", "0x1008", "--in", "x30"},
      {"syscall"},
      {"exception"}};
  auto Ask = [&](ArrayRef<StringRef> What, ArrayRef<StringRef> More) {
    std::vector<StringRef> Words = {"find"};
    Words.insert(Words.end(), What.begin(), What.end());
    Words.insert(Words.end(), More.begin(), More.end());
    Words.push_back("--json");
    const std::string Text = run(Words);
    auto J = llvm::json::parse(Text);
    EXPECT_TRUE(bool(J)) << Text << toString(J.takeError());
    return J ? std::move(*J->getAsObject()) : llvm::json::Object();
  };
  auto Found = [](const llvm::json::Object &O) {
    std::vector<int64_t> List;
    for (const llvm::json::Value &V : *O.getArray("items"))
      List.push_back(*V.getAsObject()->getInteger("position"));
    return List;
  };
  const int64_t End = int64_t(Store->numInstructions());
  for (ArrayRef<StringRef> What : Kinds) {
    const std::string Name = join(What, " ");
    Watch = {};
    const std::vector<int64_t> All = Found(Ask(What, {"--all", "-c", "1000"}));
    unsigned NumCut = 0;
    for (bool Back : {false, true})
      for (StringRef Count : {"3", "1000"}) {
        const size_t Limit = Count == "3" ? 3 : 1000;
        for (int Looks = 0, Whole = false; !Whole; Looks += 1 + Looks / 16) {
          int Asked = 0;
          Watch = {};
          Watch.Interrupted = [&] { return ++Asked > Looks; };
          const llvm::json::Object O =
              Ask(What, {Back ? "--last" : "--first", "-c", Count});
          const bool Cut = O.getBoolean("cancelled").value_or(false);
          Whole = Asked <= Looks;
          const llvm::json::Object &Searched = *O.getObject("searched");
          const int64_t From = *Searched.getInteger("from");
          const int64_t To = *Searched.getInteger("to");
          std::vector<int64_t> There;
          for (int64_t M : All)
            if (M >= From && M < To)
              There.push_back(M);
          if (Back)
            std::reverse(There.begin(), There.end());
          if (There.size() > Limit)
            There.resize(Limit);
          const auto List = Found(O);
          EXPECT_EQ(List, There) << Name << " after " << Looks;
          EXPECT_EQ(O.getBoolean("complete"), !Cut && List.size() == All.size())
              << Name << " after " << Looks;
          if (!Cut) {
            EXPECT_EQ(From, 0) << Name;
            EXPECT_EQ(To, End) << Name;
          }
          EXPECT_TRUE(!Whole || !Cut) << Name;
          NumCut += Cut;
        }
      }
    EXPECT_GT(NumCut, 1u) << Name;
  }
}

/// Whatever of a profile is counted by then is right, and the JSON is whole.
TEST_F(Interrupt, ProfilesTellWhatTheyHave) {
  for (StringRef What : {"tree", "self", "dominated", "sequences", "block"})
    for (StringRef Metric : {"instructions", "taken-branches"}) {
      std::vector<StringRef> Words = {"profile", What};
      if (What == "block")
        Words.push_back("0x2000");
      Words.insert(Words.end(), {"--metric", Metric, "--select", "0x3000"});
      std::atomic<bool> Cancel = false;
      Watch.Cancel = &Cancel;
      Watch.Progress = [&](StringRef, uint64_t, uint64_t) { Cancel = true; };
      const std::string Name = join(Words, " ");
      EXPECT_NE(run(Words).find("; interrupted, counted #0 to #0\n"),
                std::string::npos)
          << Name;
      Cancel = false;
      Words.push_back("--json");
      auto J = llvm::json::parse(run(Words));
      ASSERT_TRUE(bool(J)) << Name << toString(J.takeError());
      const llvm::json::Object &O = *J->getAsObject();
      EXPECT_EQ(O.getBoolean("complete"), false) << Name;
      EXPECT_EQ(O.getBoolean("cancelled"), true) << Name;
      EXPECT_EQ(O.getObject("searched")->getInteger("to"), 0) << Name;
      EXPECT_FALSE(O.get("why_empty")) << Name;
      // The longest of some is not the longest.
      Cancel = false;
      Words.insert(Words.end(), {"--goto", "longest"});
      EXPECT_EQ(run(Words), "error: interrupted") << Name;
    }
}

/// Where a trace has millions of rows, nobody waits for the last one.
TEST_F(Interrupt, RowsOfLayers) {
  run({"htr", "run"});
  for (bool Json : {false, true}) {
    std::vector<StringRef> Words = {"htr", "dump", "0", "-c", "100"};
    if (Json)
      Words.push_back("--json");
    Watch = {};
    const size_t Whole = run(Words).size();
    unsigned Asked = 0;
    Watch.Interrupted = [&] { return ++Asked > 20; };
    const std::string Text = run(Words);
    EXPECT_TRUE(StringRef(Text).ends_with("error: interrupted")) << Text;
    EXPECT_LT(Text.size(), Whole);
  }
}

} // namespace
