//===- TtuReferenceTest.cpp ----------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Output in the style of the Tarmac Trace Utilities, against theirs, byte for
// byte.
//
//===----------------------------------------------------------------------===//

#include "core/calls/CallRecogniser.h"
#include "core/calls/TtuTree.h"
#include "core/export/Vcd.h"
#include "core/formats/tarmac/TraceText.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/TestData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

const std::string Data = test::otherData("tarmac") + "/";

std::string contents(const std::string &Path) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path);
  return Buffer ? (*Buffer)->getBuffer().str() : "cannot read " + Path;
}

/// Two texts, and where they part if they do.
void expectSame(llvm::StringRef Text, llvm::StringRef Expected) {
  if (Text == Expected)
    return;
  unsigned Line = 1;
  while (!Text.empty() || !Expected.empty()) {
    auto [A, RestA] = Text.split('\n');
    auto [B, RestB] = Expected.split('\n');
    ASSERT_EQ(A.str(), B.str()) << "in line " << Line;
    Text = RestA;
    Expected = RestB;
    ++Line;
  }
  FAIL() << "they differ in their ends";
}

class TtuReference : public testing::Test {
protected:
  void SetUp() override {
    if (!llvm::sys::fs::exists(Data + "calltree-quicksort-addr.ref"))
      REWIND_SKIP(
          test::whyNoOther("tarmac: outputs of Tarmac Trace Utilities"));
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("rewind-export", Folder));
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Folder); }

  void load(const std::string &Trace, const std::string &Image) {
    IndexOptions Options;
    Options.IndexPath = (Folder + "/store").str();
    CallRecogniser Calls;
    Options.Observers = {&Calls};
    Options.Sections = {"calls"};
    auto S = openOrBuildStore(Data + Trace, Options);
    ASSERT_TRUE(bool(S)) << llvm::toString(S.takeError());
    Store = std::move(*S);
    auto I = CallIndex::open(*Store);
    ASSERT_TRUE(bool(I)) << llvm::toString(I.takeError());
    Index = std::move(*I);
    Names = std::make_unique<NoNames>();
    if (!Image.empty()) {
      auto Symbols = readSymbolTable(Data + Image);
      ASSERT_TRUE(bool(Symbols)) << llvm::toString(Symbols.takeError());
      Names = std::make_unique<TtuNames>(std::move(*Symbols));
    }
    auto T = TraceText::open(Data + Trace);
    ASSERT_TRUE(bool(T)) << llvm::toString(T.takeError());
    Text = std::make_unique<TraceText>(std::move(*T));
  }

  CallQuery query() { return CallQuery(*Store, *Index, *Names); }

  std::string tree() {
    auto Line = Store->lineAt(0);
    auto Time = Store->timeAt(0);
    EXPECT_TRUE(Line && Time && *Time);
    auto First = firstLineOfMoment(*Text, *Line, **Time);
    EXPECT_TRUE(bool(First));
    std::string S;
    llvm::raw_string_ostream OS(S);
    llvm::Error E = printTtuTree(query(), 0, *First, OS);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    return S;
  }
  std::string profile() {
    std::string S;
    llvm::raw_string_ostream OS(S);
    llvm::Error E = printTtuProfile(query(), OS);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    return S;
  }
  std::string flameGraph() {
    std::string S;
    llvm::raw_string_ostream OS(S);
    llvm::Error E = printTtuFlameGraph(query(), OS);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    return S;
  }
  std::string vcd(bool Timestamps) {
    VcdOptions Options;
    Options.TtuStyle = true;
    Options.Date = false;
    Options.TraceTimestamps = Timestamps;
    Options.Disassemble = [&](const Instruction &I) {
      auto Line = Text->line(I.Line);
      EXPECT_TRUE(bool(Line));
      return disassemblyOf(*Line);
    };
    std::string S;
    llvm::raw_string_ostream OS(S);
    llvm::Error E = exportVcd(query(), Options, OS);
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    return S;
  }

  llvm::SmallString<128> Folder;
  std::unique_ptr<TraceStore> Store;
  std::unique_ptr<CallIndex> Index;
  std::unique_ptr<FunctionNames> Names;
  std::unique_ptr<TraceText> Text;
};

TEST_F(TtuReference, QuicksortWithoutImage) {
  load("quicksort.tarmac", "");
  expectSame(tree(), contents(Data + "calltree-quicksort-addr.ref"));
  expectSame(profile(), contents(Data + "profile-quicksort-addr.ref"));
  expectSame(flameGraph(), contents(Data + "flamegraph-quicksort-addr.ref"));
  expectSame(vcd(false), contents(Data + "vcd-quicksort.ref"));
}

TEST_F(TtuReference, QuicksortWithImage) {
  load("quicksort.tarmac", "quicksort.elf");
  expectSame(tree(), contents(Data + "calltree-quicksort-symbols.ref"));
  expectSame(profile(), contents(Data + "profile-quicksort-symbols.ref"));
  expectSame(flameGraph(), contents(Data + "flamegraph-quicksort-symbols.ref"));
  expectSame(vcd(true),
             contents(Data + "vcd-quicksort-function-timestamp.ref"));
}

TEST_F(TtuReference, CallIdioms) {
  load("calltest64.tarmac", "calltest64.elf");
  // The reference begins with TTU's account of its heuristic.
  std::string Expected = contents(Data + "calltest64.ref");
  expectSame(tree(), llvm::StringRef(Expected).substr(Expected.find("o t:")));
}

TEST_F(TtuReference, CalculatorAArch64) {
  load("calculator-aarch64-fastmodel.tarmac", "calculator-aarch64.elf");
  const std::string Base = Data + "calculator-aarch64-fastmodel";
  expectSame(tree(), contents(Base + ".calltree"));
  expectSame(profile(), contents(Base + ".profile"));
  expectSame(flameGraph(), contents(Base + ".flamegraph"));
}

TEST_F(TtuReference, CalculatorAArch32) {
  load("calculator-aarch32-es-ld-st-style.tarmac", "calculator-aarch32.elf");
  const std::string Base = Data + "calculator-aarch32-es-ld-st-style";
  expectSame(tree(), contents(Base + ".calltree"));
  expectSame(profile(), contents(Base + ".profile"));
  expectSame(flameGraph(), contents(Base + ".flamegraph"));
}

TEST(Disassembly, OfAnyDialect) {
  EXPECT_EQ(disassemblyOf("3 clk IT (3) 00008008 94000001 O EL3h_s : BL       "
                          "{pc}+4 ; 0x800c"),
            "BL {pc}+4");
  EXPECT_EQ(disassemblyOf("  0 tic ES  (000202e4:e58d0008) A svc_s:          "
                          "STR      r0,[sp,#8]"),
            "STR r0,[sp,#8]");
  EXPECT_EQ(
      disassemblyOf("100 ns IT (00022a7c:00000006) 00022a7c 48f6 T16 LDR"),
      "LDR");
  EXPECT_EQ(disassemblyOf("5 cs IT (0) 00008000 ea000006 A :   B 0x10"),
            "B 0x10");
  EXPECT_EQ(disassemblyOf("1 clk R X0 0000000000100000"), "");
}

} // namespace
