//===- PerfDataTest.cpp - What perf record wrote --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "PerfWriter.h"
#include "Synth.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::intelpt {

namespace {
struct Perf {
  Program P = Program::random(3);
  TempDir Dir;
  std::string Elf = Dir.write("program", P.elf(TestBuildId));
  std::string IdBytes;
  PerfWriter W;
  Perf() {
    tryGetFromHex(TestBuildId, IdBytes);
    W.info(32, 1u << 31, 1000); // two ticks are a nanosecond
  }
  void map(uint32_t Pid, StringRef BuildId = "") {
    // The code is in the file's second page.
    W.mmap2(Pid, 0x401000, 0x2000, 0x1000, Elf, BuildId);
  }
  Expected<Trace> load() {
    std::string Path = Dir.write("perf.data", W.file());
    auto R = openTrace(Path, "", {});
    if (!R)
      return R.takeError();
    EXPECT_EQ((*R)->formatName(), "intelpt");
    Trace T;
    if (Error E = (*R)->read(T))
      return E;
    return T;
  }
  std::string error() {
    auto T = load();
    return T ? "no error" : toString(T.takeError());
  }
};
} // namespace

#define EXPECT_CONTAINS(Text, What)                                            \
  EXPECT_TRUE(StringRef(Text).contains(What)) << Text

TEST(PerfData, OneThread) {
  Perf F;
  Execution X = run(F.P, {.Seed = 3});
  // What perf itself had mapped before it became the program.
  F.W.comm(40, 40, "perf", false);
  F.W.mmap2(40, 0x400000, 0x100000, 0, "/no/such/perf");
  F.W.comm(40, 40, "prog", true);
  F.map(40, F.IdBytes);
  F.W.mmap2(40, 0x7fff0000, 0x1000, 0, "[vdso]");
  F.W.itraceStart(40, 40, 5000, 1);
  // The ring buffer comes in pieces, of two CPUs, whole or not.
  size_t Half = X.Packets.size() / 2 + 3;
  std::vector<uint8_t> A(X.Packets.begin(), X.Packets.begin() + Half),
      B(X.Packets.begin() + Half, X.Packets.end());
  F.W.aux(0, A, 1, PerfWriter::NoThread, 1);
  F.W.aux(Half, B, 1, PerfWriter::NoThread, 1);
  auto T = F.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 1u);
  EXPECT_EQ(T->Header.Threads[0].Name, "tid 40 (prog)");
  EXPECT_EQ(T->Header.Threads[0].Id, 40u);
  checkSame(T->PCs[0], X.PCs);
  EXPECT_EQ(T->Header.TimeUnit, "ns");
  EXPECT_EQ(T->Order.front().Time, 1000 + (1u << 19));
  ASSERT_EQ(T->Header.Modules.size(), 1u);
  EXPECT_EQ(T->Header.Modules[0].LoadAddress, 0x401000u);
  EXPECT_EQ(T->Header.Modules[0].BuildId, StringRef(TestBuildId).upper());
  EXPECT_TRUE(llvm::any_of(T->Header.Notes, [](auto &N) {
    return N.first == "code without a file";
  }));
}

TEST(PerfData, PerThread) {
  Perf F;
  F.map(40);
  F.W.BuildIds.push_back({F.Elf, F.IdBytes});
  std::vector<Execution> X;
  for (unsigned I = 0; I < 3; ++I) {
    X.push_back(run(F.P, {.Seed = I + 1}));
    F.W.comm(40, 40 + I, "worker", false);
    F.W.aux(0, X[I].Packets, I, 40 + I, PerfWriter::NoThread);
  }
  auto T = F.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 3u);
  for (unsigned I = 0; I < 3; ++I)
    checkSame(T->PCs[I], X[I].PCs);
}

TEST(PerfData, Snapshots) {
  Perf F;
  F.map(40);
  F.W.itraceStart(40, 40, 5000, 0);
  Execution X = run(F.P, {.Seed = 3});
  Execution Y = run(F.P, {.Seed = 4, .FirstTsc = X.EndTsc + 1000});
  F.W.aux(0, X.Packets, 0, PerfWriter::NoThread, 0);
  // Half of it once more, and then something that came much later.
  size_t Half = X.Packets.size() / 2;
  F.W.aux(Half, {X.Packets.begin() + Half, X.Packets.end()}, 0,
          PerfWriter::NoThread, 0);
  F.W.aux(1 << 20, Y.Packets, 0, PerfWriter::NoThread, 0);
  auto T = F.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  std::vector<uint64_t> Both = X.PCs;
  Both.insert(Both.end(), Y.PCs.begin(), Y.PCs.end());
  checkSame(T->PCs[0], Both);
}

static void threadsOnCpus(uint64_t Event) {
  Perf F;
  F.W.Event = Event;
  F.map(40);
  TimeConversion C{1000, 1u << 31, 32};
  std::map<unsigned, std::vector<uint64_t>> Truth;
  uint64_t Start = 1 << 20;
  // One CPU after the other: so the order of each thread is known.
  for (uint32_t Cpu = 0; Cpu < 2; ++Cpu) {
    Execution X = run(
        F.P,
        {.Seed = 20 + Cpu, .FirstTsc = Start, .Threads = 3, .SwitchEvery = 53});
    Start = X.EndTsc + 5000;
    const ContextSwitch *Before = nullptr;
    for (const ContextSwitch &S : X.Switches) {
      uint64_t Now = C.nanoseconds(S.Tsc);
      if (!Before)
        F.W.itraceStart(40, uint32_t(39 + S.Tid), Now, Cpu);
      else
        F.W.Records += perfSwitch(Now - 10, 40, uint32_t(39 + Before->Tid),
                                  /*Out=*/true, Cpu, Event);
      F.W.Records +=
          perfSwitch(Now, 40, uint32_t(39 + S.Tid), false, Cpu, Event);
      Before = &S;
    }
    for (size_t I = 0; I < X.PCs.size(); ++I)
      Truth[40 + X.Owners[I]].push_back(X.PCs[I]);
    F.W.aux(0, X.Packets, Cpu, PerfWriter::NoThread, Cpu);
  }
  auto T = F.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 3u);
  for (unsigned I = 0; I < 3; ++I)
    checkSame(T->PCs[I], Truth[unsigned(T->Header.Threads[I].Id)]);
}

TEST(PerfData, ThreadsOnCpus) {
  threadsOnCpus(0);
  threadsOnCpus(77); // of two events with different records
}

TEST(PerfData, Errors) {
  Perf F;
  F.map(40, std::string(20, 'x'));
  Execution X = run(F.P, {.Seed = 3});
  F.W.aux(0, X.Packets, 0, 40, PerfWriter::NoThread);
  EXPECT_CONTAINS(F.error(), "program' is not the one that was traced");

  PerfWriter Good;
  Good.info(32, 1u << 31, 1000);
  Good.mmap2(40, 0x401000, 0x2000, 0x1000, F.Elf, F.IdBytes);
  F.W = Good;
  EXPECT_CONTAINS(F.error(), "no AUXTRACE records");
  F.W.aux(0, {}, 0, 40, PerfWriter::NoThread);
  EXPECT_CONTAINS(F.error(), "no AUXTRACE records");
  F.W.aux(0, std::vector<uint8_t>(100, 0x55), 0, 40, PerfWriter::NoThread);
  EXPECT_CONTAINS(F.error(), "no complete synchronisation point");
  F.W = PerfWriter();
  EXPECT_CONTAINS(F.error(), "holds no records");
  F.W.Records = perfRecord(1000, 0, "");
  EXPECT_CONTAINS(F.error(), "no Intel PT in it");
  F.W = Good;
  F.W.Records += perfRecord(81, 0, std::string(16, 0));
  EXPECT_CONTAINS(F.error(), "record without -z");
  F.W = Good;
  put(F.W.Records, uint64_t(0)); // a record of no bytes
  EXPECT_CONTAINS(F.error(), "no record at byte");

  F.W = Good;
  F.W.aux(0, X.Packets, 0, 40, PerfWriter::NoThread);
  EXPECT_EQ(F.error(), "no error");
  std::string Whole = F.W.file();
  for (size_t Size = 8; Size < Whole.size(); Size += 97) {
    std::string Path = F.Dir.write("cut", Whole.substr(0, Size));
    auto R = readPerfData(Path);
    if (R)
      EXPECT_FALSE(R->Buffers.empty());
    else
      EXPECT_CONTAINS(toString(R.takeError()), "cut'");
  }
  std::string Pipe = "PERFILE2";
  put(Pipe, uint64_t(16));
  auto R = readPerfData(F.Dir.write("pipe", Pipe));
  ASSERT_FALSE(bool(R));
  EXPECT_CONTAINS(toString(R.takeError()), "pipe");
}

} // namespace rw::intelpt
