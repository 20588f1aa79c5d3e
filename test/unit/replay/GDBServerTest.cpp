//===- GDBServerTest.cpp - GDB's dialect ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/replay/GDBServer.h"
#include "ReplaySupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace rw;

namespace {

class GDBServerTest : public ReplayTest {
protected:
  void start(const TraceKnobs &Knobs, uint64_t Seed, GDBSetup Setup = {}) {
    make(Knobs, Seed);
    if (HasFatalFailure())
      return;
    Engine = std::make_unique<ReplayEngine>(Store);
    Memory = std::make_unique<MemoryView>(Store);
    Server = std::make_unique<GDBServer>(*Engine, *Memory, std::move(Setup));
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
  std::string whole(llvm::StringRef Object) {
    return ask(("qXfer:" + Object + ":0,fffff").str()).substr(1);
  }

  std::unique_ptr<ReplayEngine> Engine;
  std::unique_ptr<MemoryView> Memory;
  std::unique_ptr<GDBServer> Server;
};

TEST_F(GDBServerTest, HasTheFeaturesThatGDBDemands) {
  struct {
    Arch A;
    bool MProfile;
    const char *Feature, *First, *Status;
  } const Cases[] = {
      {Arch::AArch64, false, "aarch64.core", "x0", "cpsr"},
      {Arch::Arm, false, "arm.core", "r0", "cpsr"},
      {Arch::Arm, true, "arm.m-profile", "r0", "xpsr"},
      {Arch::PPC64, false, "power.core", "r0", "xer"},
      {Arch::PPC64LE, false, "power.core", "r0", "xer"},
      {Arch::X86_64, false, "i386.core", "rax", "fop"},
  };
  for (const auto &C : Cases) {
    SCOPED_TRACE(C.Feature);
    TraceKnobs Knobs;
    Knobs.Architecture = C.A;
    GDBSetup Setup;
    Setup.MProfile = C.MProfile;
    start(Knobs, 3, Setup);
    if (HasFatalFailure())
      return;
    std::string XML = whole("features:read:target.xml");
    EXPECT_NE(XML.find("\"org.gnu.gdb." + std::string(C.Feature) + "\""),
              std::string::npos);
    for (std::string Name : {std::string(C.First), std::string(C.Status)})
      EXPECT_NE(XML.find("name=\"" + Name + "\""), std::string::npos) << Name;
    // `g` has all of them, and the pc is known.
    size_t Digits = 0;
    unsigned N = 0;
    for (;; ++N) {
      std::string One = ask(llvm::formatv("p{0:x-}", N).str());
      if (One == "E01")
        break;
      Digits += One.size();
    }
    std::string All = ask("g");
    EXPECT_EQ(All.size(), Digits);
    EXPECT_NE(All.find_first_not_of('x'), std::string::npos);
    EXPECT_EQ(XML.find("regnum=\"" + std::to_string(N) + "\""),
              std::string::npos);
    EXPECT_NE(XML.find("regnum=\"" + std::to_string(N - 1) + "\""),
              std::string::npos);
  }
}

/// A hit is told before the access forwards, behind it backwards, and a single
/// step over it does not move. GDB then steps without the watchpoint.
TEST_F(GDBServerTest, WatchpointsTrapBeforeTheAccess) {
  start(TraceKnobs(), 5);
  if (HasFatalFailure())
    return;
  unsigned Tried = 0;
  for (const auto &I : Model.insns()) {
    if (I.FirstMem == I.EndMem || Tried == 20)
      continue;
    ++Tried;
    const uint64_t Addr = Model.mems()[I.FirstMem].Addr;
    const Moment M = Moment(&I - Model.insns().data());
    std::string Watch = llvm::formatv("4,{0:x-},1", Addr);
    Engine->look({M, 0});
    ASSERT_EQ(ask("Z" + Watch), "OK");
    // Standing before it.
    EXPECT_NE(ask("vCont;s:1").find("awatch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M);
    EXPECT_NE(ask("vCont;c").find("awatch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M);
    EXPECT_EQ(ask("z" + Watch), "OK");
    EXPECT_EQ(ask("vCont;s:1").find("watch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M + 1);
    // Standing behind it.
    EXPECT_EQ(ask("Z" + Watch), "OK");
    EXPECT_NE(ask("bs").find("awatch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M + 1);
    EXPECT_NE(ask("bc").find("awatch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M + 1);
    EXPECT_EQ(ask("z" + Watch), "OK");
    EXPECT_EQ(ask("bs").find("watch:"), std::string::npos);
    EXPECT_EQ(Engine->here().When, M);
  }
  EXPECT_GT(Tried, 3u);
}

/// GDB looks at breakpoints by itself wherever it stops, but at watchpoints
/// only when it is told of them.
TEST_F(GDBServerTest, GoingBackTellsAnAccessBeforeABreakpoint) {
  for (Arch A : {Arch::AArch64, Arch::X86_64}) {
    TraceKnobs Knobs;
    Knobs.Architecture = A;
    start(Knobs, 5);
    if (HasFatalFailure())
      return;
    unsigned Tried = 0;
    for (const auto &I : Model.insns()) {
      if (I.FirstMem == I.EndMem || Tried == 20)
        continue;
      ++Tried;
      const auto &Access = Model.mems()[I.FirstMem];
      const Moment M = Moment(&I - Model.insns().data());
      SCOPED_TRACE(M);
      for (int Kind : {2, 3, 4}) {
        if (Kind != 4 && (Kind == 2) != bool(Access.Flags & MemItem::Write))
          continue;
        std::string Watch =
            llvm::formatv("{0},{1:x-},1", Kind, Access.Addr).str();
        std::string Break = llvm::formatv("0,{0:x-},4", I.Item.PC).str();
        ASSERT_EQ(ask("Z" + Watch), "OK");
        ASSERT_EQ(ask("Z" + Break), "OK");
        Engine->look({M + 1, 0});
        EXPECT_NE(ask("bc").find(llvm::formatv("watch:{0:x-};", Access.Addr)),
                  std::string::npos);
        EXPECT_EQ(Engine->here().When, A == Arch::X86_64 ? M : M + 1);
        EXPECT_EQ(ask("z" + Watch), "OK");
        Engine->look({M + 1, 0});
        EXPECT_NE(ask("bc").find("swbreak:"), std::string::npos);
        EXPECT_EQ(Engine->here().When, M);
        EXPECT_EQ(ask("z" + Break), "OK");
      }
    }
    EXPECT_GT(Tried, 3u);
  }
}

/// GDB is told one address for each stop, and what `watch` watches has to
/// change.
TEST_F(GDBServerTest, OfSeveralWatchpointsOneThatChangesIsTold) {
  start(TraceKnobs(), 5);
  if (HasFatalFailure())
    return;
  unsigned Told = 0;
  auto Byte = [&](Moment M, uint64_t Addr) {
    std::vector<uint8_t> Bytes(1), Known(1);
    EXPECT_FALSE(bool(Memory->read(M, Addr, Bytes, Known)));
    return std::pair(Bytes[0], Known[0]);
  };
  for (const auto &I : Model.insns()) {
    const Moment M = Moment(&I - Model.insns().data());
    std::vector<uint64_t> Same, Changed;
    for (size_t N = I.FirstMem; N < I.EndMem; ++N) {
      const MemItem &Access = Model.mems()[N];
      if (Access.Flags & MemItem::Write)
        for (uint64_t A = Access.Addr; A < Access.Addr + Access.Size; ++A)
          (Byte(M, A) == Byte(M + 1, A) ? Same : Changed).push_back(A);
    }
    if (Same.empty() || Changed.empty() || Told == 20)
      continue;
    ++Told;
    SCOPED_TRACE(M);
    std::vector<std::string> Watches;
    for (uint64_t Addr : {Same.front(), Changed.back(), Same.back()})
      Watches.push_back(llvm::formatv("2,{0:x-},1", Addr));
    for (const std::string &W : Watches)
      ASSERT_EQ(ask("Z" + W), "OK");
    const std::string Wanted =
        llvm::formatv("watch:{0:x-};", Changed.back()).str();
    Engine->look({M + 1, 0});
    EXPECT_NE(ask("bc").find(Wanted), std::string::npos);
    EXPECT_NE(ask("bs").find(Wanted), std::string::npos);
    Engine->look({M, 0});
    EXPECT_NE(ask("vCont;c").find(Wanted), std::string::npos);
    for (const std::string &W : Watches)
      EXPECT_EQ(ask("z" + W), "OK");
  }
  EXPECT_GT(Told, 3u);
}

TEST_F(GDBServerTest, StopsSayWhy) {
  TraceKnobs Knobs;
  Knobs.Length = 60;
  Knobs.Shape = ProgramShape::Straight;
  start(Knobs, 6);
  std::string Place = llvm::formatv("{0:x-},4", Model.insns()[20].Item.PC);
  EXPECT_EQ(ask("Z0," + Place), "OK");
  EXPECT_EQ(ask("vCont;c"), "T05thread:1;swbreak:;");
  EXPECT_EQ(ask("z0," + Place), "OK");
  ask("vCont;s:1");
  EXPECT_EQ(ask("Z1," + Place), "OK");
  EXPECT_EQ(ask("bc"), "T05thread:1;hwbreak:;");
  EXPECT_EQ(ask("bc"), "T05thread:1;replaylog:begin;");
  EXPECT_EQ(ask("z1," + Place), "OK");
  // Every time, or GDB's `step` never ends.
  for (int Again = 0; Again < 3; ++Again)
    EXPECT_EQ(ask("vCont;c"), "T05thread:1;replaylog:end;");
  EXPECT_EQ(ask("vCont;s:1"), "T05thread:1;replaylog:end;");
}

TEST_F(GDBServerTest, ServesTheImagesAndNoOtherFile) {
  llvm::SmallString<128> Path;
  int FD;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("image", "elf", FD, Path));
  llvm::raw_fd_ostream(FD, true) << "contents";
  GDBSetup Setup;
  Setup.Images = {Path.str().str()};
  start(TraceKnobs(), 1, Setup);
  EXPECT_EQ(whole("exec-file:read:1"), Path.str());
  auto Open = [&](llvm::StringRef Name) {
    return ask("vFile:open:" + llvm::toHex(Name) + ",0,0");
  };
  EXPECT_EQ(Open("/etc/passwd"), "F-1,2");
  EXPECT_EQ(ask("vFile:open:" + llvm::toHex(Path) + ",1,0"), "F-1,d");
  EXPECT_EQ(Open(Path), "F1");
  EXPECT_EQ(ask("vFile:pread:1,100,3"), "F5;tents");
  EXPECT_EQ(ask("vFile:pread:1,2,ffffffffffffffff"), "F0;");
  EXPECT_EQ(ask("vFile:fstat:1").size(), strlen("F40;") + 64);
  EXPECT_EQ(ask("vFile:close:1"), "F0");
  EXPECT_EQ(ask("vFile:pread:1,100,3"), "F-1,9");
  EXPECT_EQ(ask("vFile:unlink:" + llvm::toHex(Path)), "");
  llvm::sys::fs::remove(Path);
}

TEST_F(GDBServerTest, MonitorPrintsInPieces) {
  std::string Console, Asked;
  GDBSetup Setup;
  Setup.Send = [&](llvm::StringRef Packet) {
    EXPECT_EQ(Packet.front(), 'O');
    EXPECT_LT(Packet.size(), 0x20000u);
    Console += llvm::fromHex(Packet.drop_front());
  };
  Setup.Monitor = [&](llvm::StringRef Command, ThreadIndex,
                      const GDBSetup::Print &Print) {
    Asked = Command.str();
    Print(std::string(100000, 'a'));
    Print("b");
  };
  start(TraceKnobs(), 1, Setup);
  EXPECT_EQ(ask("qRcmd," + llvm::toHex("rewind info")), "OK");
  EXPECT_EQ(Asked, "rewind info");
  EXPECT_EQ(Console, std::string(100000, 'a') + "b");
  EXPECT_EQ(ask("qRcmd,0g"), "E03");
}

/// Whatever comes in, an answer goes out.
TEST_F(GDBServerTest, SurvivesNonsense) {
  GDBSetup Setup;
  Setup.Images = {"/nowhere/x.elf"};
  Setup.Monitor = [](llvm::StringRef, ThreadIndex, const GDBSetup::Print &) {};
  start(randomKnobs(9, 200), 9, Setup);
  Rng R(9);
  const char *Starts[] = {"g",
                          "p",
                          "m",
                          "Z0,",
                          "Z1,",
                          "z1,",
                          "Z2,",
                          "Z4,",
                          "bs",
                          "bc",
                          "vCont;",
                          "vCont;s:",
                          "Hg",
                          "Hc",
                          "T",
                          "qRcmd,",
                          "vFile:",
                          "vFile:open:",
                          "vFile:pread:",
                          "vFile:fstat:",
                          "qXfer:features:read:target.xml:",
                          "qXfer:threads:read::",
                          "qXfer:exec-file:read:",
                          "qOffsets",
                          "M",
                          "X",
                          "?"};
  for (unsigned I = 0; I < 20000; ++I) {
    std::string Packet = Starts[R.below(std::size(Starts))];
    unsigned Length = unsigned(R.below(20));
    for (unsigned K = 0; K < Length; ++K)
      Packet += R.chance(0.7) ? "0123456789abcdef,;:-"[R.below(20)]
                              : char(R.below(256));
    ASSERT_LT(ask(Packet).size(), size_t(1) << 20);
  }
}

} // namespace
