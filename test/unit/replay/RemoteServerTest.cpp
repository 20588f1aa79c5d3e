//===- RemoteServerTest.cpp - Packets in, packets out ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaySupport.h"
#include "core/replay/LLDBServer.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace rw;

namespace {

class RemoteServerTest : public ReplayTest {
protected:
  void start(const TraceKnobs &Knobs, uint64_t Seed) {
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    Engine = std::make_unique<ReplayEngine>(Store);
    Memory = std::make_unique<MemoryView>(Store);
    Server = std::make_unique<LLDBServer>(
        *Engine, *Memory, 7, "aarch64-unknown-unknown",
        [this](llvm::StringRef Line) { Notices.push_back(Line.str()); });
  }
  void TearDown() override {
    Server.reset();
    Memory.reset();
    Engine.reset();
    ReplayTest::TearDown();
  }
  std::string ask(llvm::StringRef Packet) {
    return Server->handle(Packet).Text;
  }

  std::unique_ptr<ReplayEngine> Engine;
  std::unique_ptr<MemoryView> Memory;
  std::unique_ptr<RemoteServer> Server;
  std::vector<std::string> Notices;
};

TEST_F(RemoteServerTest, Introduces) {
  start(TraceKnobs(), 1);
  std::string Features = ask("qSupported:xmlRegisters=i386,arm");
  for (const char *Word : {"ReverseContinue+", "ReverseStep+",
                           "qXfer:features:read+", "QStartNoAckMode+"})
    EXPECT_NE(Features.find(Word), std::string::npos) << Word;
  EXPECT_TRUE(Server->handle("QStartNoAckMode").StopAcks);
  EXPECT_NE(ask("qHostInfo").find("watchpoint_exceptions_received:after"),
            std::string::npos);
  EXPECT_NE(ask("qProcessInfo").find("pid:7;"), std::string::npos);
  EXPECT_EQ(ask("qfThreadInfo"), "m1");
  EXPECT_EQ(ask("qsThreadInfo"), "l");
  EXPECT_EQ(ask("vCont?"), "vCont;c;C;s;S");
  EXPECT_EQ(ask("qNoSuchThing"), "");
  EXPECT_TRUE(Server->handle("k").Finished);
  EXPECT_TRUE(Server->handle("D").Finished);
}

TEST_F(RemoteServerTest, TargetDescriptionComesInPieces) {
  start(TraceKnobs(), 1);
  std::string Whole = ask("qXfer:features:read:target.xml:0,fffff");
  ASSERT_EQ(Whole[0], 'l');
  std::string Parts;
  for (;;) {
    std::string Part = ask(
        llvm::formatv("qXfer:features:read:target.xml:{0:x-},100", Parts.size())
            .str());
    ASSERT_FALSE(Part.empty());
    Parts += Part.substr(1);
    if (Part[0] == 'l')
      break;
    ASSERT_EQ(Part[0], 'm');
  }
  EXPECT_EQ(Parts, Whole.substr(1));
  for (const char *Word : {"name=\"x0\"", "generic=\"pc\"", "generic=\"sp\"",
                           "dwarf_regnum=\"31\""})
    EXPECT_NE(Parts.find(Word), std::string::npos) << Word;
}

/// Every register of every thread at some places: the model's value, or an
/// error where a byte of it is unknown.
TEST_F(RemoteServerTest, RegistersAreTheModels) {
  for (uint64_t Seed = 1; Seed <= 8; ++Seed) {
    SCOPED_TRACE(Seed);
    TraceKnobs Knobs = randomKnobs(Seed, 300);
    Knobs.Registers = true;
    Knobs.Architecture = Arch::AArch64;
    start(Knobs, Seed);
    if (HasFatalFailure())
      return;
    auto Regs = Store->registerFile().registers();
    unsigned Known = 0;
    for (unsigned Step = 0; Step < 30; ++Step) {
      Moment M = Step * Model.numInstructions() / 30;
      Engine->land({M, 0}, ReplayStop(ReplayStop::Landing));
      ask("vCont;c");
      for (ThreadIndex T = 0; T < Store->numThreads(); ++T) {
        uint64_t Id = Store->header().Threads[T].Id;
        RegisterState State =
            Model.registersAt(T, M, Store->registerFile().numLanes());
        for (unsigned N = 0; N < Regs.size(); ++N) {
          std::string Text =
              ask(llvm::formatv("p{0:x-};thread:{1:x-};", N, Id).str());
          if (Regs[N].IsPC)
            continue;
          std::vector<uint8_t> Bytes(Regs[N].Slice.Size);
          if (!State.read(Regs[N].Slice, Bytes.data())) {
            ASSERT_EQ(Text[0], 'E') << Regs[N].Name;
            continue;
          }
          if (Store->header().Order == ByteOrder::Big)
            std::reverse(Bytes.begin(), Bytes.end());
          ASSERT_EQ(Text, llvm::toHex(Bytes, true)) << Regs[N].Name;
          ++Known;
        }
      }
    }
    EXPECT_GT(Known, 0u);
  }
}

TEST_F(RemoteServerTest, ReadsAreShortWhereMemoryIsUnknown) {
  start(TraceKnobs(), 4);
  Memory->addReadOnly(0xdead0000, {0x11, 0x22, 0x33});
  EXPECT_EQ(ask("mdead0000,3"), "112233");
  EXPECT_EQ(ask("mdead0001,10"), "2233");
  EXPECT_EQ(ask("mdead0003,1")[0], 'E');
  EXPECT_EQ(ask("mdeacffff,2")[0], 'E');
  EXPECT_EQ(ask("mffffffffffffffff,10")[0], 'E');
}

TEST_F(RemoteServerTest, NothingIsEverWritten) {
  start(TraceKnobs(), 4);
  ask("QEnableErrorStrings");
  for (const char *Packet : {"P0=1122334455667788;thread:1;", "G00;thread:1;",
                             "M1000,1:ff", "X1000,1:a"})
    EXPECT_EQ(ask(Packet).substr(0, 4), "E01;") << Packet;
  EXPECT_EQ(Notices.size(), 4u);
  // Asked for memory for an expression: refused, but nothing to tell a user.
  // LLDB takes an error for memory without an address.
  EXPECT_EQ(ask("_M1000,rwx"), "");
  EXPECT_EQ(Notices.size(), 4u);
  // Nor of what is written to call a function.
  EXPECT_EQ(ask("QSaveRegisterState;thread:1;"), "1");
  EXPECT_EQ(ask("P0=1122334455667788;thread:1;").substr(0, 4), "E01;");
  EXPECT_EQ(ask("QRestoreRegisterState:1;thread:1;"), "OK");
  EXPECT_EQ(Notices.size(), 4u);
  ask("P0=1122334455667788;thread:1;");
  EXPECT_EQ(Notices.size(), 5u);
}

TEST_F(RemoteServerTest, StopsSayWhy) {
  TraceKnobs Knobs;
  Knobs.Length = 60;
  Knobs.Shape = ProgramShape::Straight;
  start(Knobs, 6);
  uint64_t PC = Model.insns()[20].Item.PC;
  EXPECT_EQ(ask(llvm::formatv("Z0,{0:x-},4", PC).str()), "OK");
  EXPECT_NE(ask("vCont;c").find("reason:breakpoint;"), std::string::npos);
  EXPECT_EQ(Engine->here().When, 20u);
  // A plain stop, or LLDB would take the step for something else.
  std::string Step = ask("vCont;s:1");
  EXPECT_EQ(Step.find("reason:"), std::string::npos);
  EXPECT_EQ(Step.substr(0, 3), "T05");
  EXPECT_NE(ask("bc").find("reason:breakpoint;"), std::string::npos);
  EXPECT_NE(ask("bc").find("replaylog:begin;"), std::string::npos);
  EXPECT_EQ(ask(llvm::formatv("z0,{0:x-},4", PC).str()), "OK");
  EXPECT_NE(ask("vCont;c").find("replaylog:end;"), std::string::npos);
  EXPECT_NE(ask("?").find("replaylog:end;"), std::string::npos);
  // LLDB would resume from a second one for ever.
  EXPECT_NE(ask("vCont;c").find("reason:exception;"), std::string::npos);
  EXPECT_NE(ask("vCont;s:1").find("reason:exception;"), std::string::npos);
  Engine->land({3, 0}, ReplayStop(ReplayStop::Landing, "last write of x0"));
  EXPECT_NE(ask("bc").find(llvm::toHex("last write of x0", true)),
            std::string::npos);
}

/// A thread that runs alone, as in LLDB's `next`, is the one that stops: LLDB
/// takes no notice of another, and resumes for ever.
TEST_F(RemoteServerTest, EndsInTheThreadThatRan) {
  TraceKnobs Knobs;
  Knobs.Threads = 3;
  start(Knobs, 6);
  for (const auto &T : Store->header().Threads) {
    const std::string Id = llvm::utohexstr(T.Id, /*LowerCase=*/true);
    for (int Again = 0; Again < 2; ++Again)
      EXPECT_EQ(ask("vCont;c:" + Id).substr(0, 11 + Id.size()),
                "T05thread:" + Id + ";");
    EXPECT_EQ(ask("qThreadStopInfo" + Id).substr(0, 3), "T05");
  }
  // All of them: the one that ran last, and that is selected then.
  Engine->land({0, 0}, ReplayStop(ReplayStop::Landing, "start"));
  ask("vCont;c");
  auto Last = Store->threadAt(Store->numInstructions() - 1);
  ASSERT_TRUE(bool(Last));
  ask("vCont;c:-1");
  EXPECT_EQ(Engine->here().Thread, *Last);
}

/// Whatever comes in, an answer goes out.
TEST_F(RemoteServerTest, SurvivesNonsense) {
  start(randomKnobs(9, 200), 9);
  Rng R(9);
  const char *Starts[] = {"p",
                          "m",
                          "Z0,",
                          "z2,",
                          "vCont;",
                          "vCont;s:",
                          "H",
                          "T",
                          "Z",
                          "qXfer:features:read:target.xml:",
                          "qThreadStopInfo",
                          "M",
                          "X",
                          "_M",
                          "b",
                          "q",
                          "?"};
  for (unsigned I = 0; I < 20000; ++I) {
    std::string Packet = Starts[R.below(std::size(Starts))];
    unsigned Length = unsigned(R.below(20));
    for (unsigned K = 0; K < Length; ++K)
      Packet += R.chance(0.7) ? "0123456789abcdef,;:-"[R.below(20)]
                              : char(R.below(256));
    std::string Text = ask(Packet);
    ASSERT_LT(Text.size(), size_t(1) << 20);
  }
}

} // namespace
