//===- PerfDataTest.cpp - What perf record wrote --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "PerfWriter.h"
#include "Synth.h"
#include "core/formats/intelpt/IntelPTReader.h"
#include "llvm/ADT/StringExtras.h"
#include <cstdlib>

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
  ReaderOptions Options;
  Expected<Trace> load() {
    std::string Path = Dir.write("perf.data", W.file());
    auto R = openTrace(Path, "", Options);
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

TEST(PerfData, Compressed) {
  // Records are cut anywhere, and so is what they are packed into.
  for (size_t Each : {size_t(1), size_t(7), size_t(64), size_t(1000)})
    for (bool Padded : {false, true}) {
      SCOPED_TRACE(Each);
      Perf F;
      Execution X = run(F.P, {.Seed = 3});
      size_t From = F.W.Records.size();
      F.W.comm(40, 40, "perf", false);
      F.W.mmap2(40, 0x400000, 0x100000, 0, "/no/such/perf");
      F.W.comm(40, 40, "prog", true);
      F.map(40, F.IdBytes);
      for (unsigned I = 0; I < 40; ++I)
        F.W.comm(40, 40 + I, "worker", false);
      F.W.itraceStart(40, 40, 5000, 1);
      F.W.compress(From, Each, Padded);
      F.W.aux(0, X.Packets, 1, PerfWriter::NoThread, 1);
      auto T = F.load();
      ASSERT_TRUE(bool(T)) << toString(T.takeError());
      ASSERT_EQ(T->Header.Modules.size(), 1u);
      EXPECT_EQ(T->Header.Modules[0].Path, F.Elf);
      EXPECT_EQ(T->Header.Threads[0].Name, "tid 40 (worker)");
      checkSame(T->PCs[0], X.PCs);
      // What makes an index stale is found in there, too.
      EXPECT_TRUE(is_contained(
          companionFiles((F.Dir.Path + "/perf.data").str()), F.Elf));
    }
}

TEST(PerfData, CompressedErrors) {
  Perf F;
  Execution X = run(F.P, {.Seed = 3});
  const size_t From = F.W.Records.size();
  F.map(40, F.IdBytes);
  F.W.itraceStart(40, 40, 5000, 1);
  const PerfWriter Plain = F.W;
  auto Finish = [&] { F.W.aux(0, X.Packets, 1, PerfWriter::NoThread, 1); };
  F.W.compress(From, 1000, false);
  Finish();
  EXPECT_EQ(F.error(), "no error");
  // A file without the header that tells how.
  F.W.Compression.reset();
  EXPECT_EQ(F.error(), "no error");
  F.W.Compression = 2;
  EXPECT_CONTAINS(F.error(), "not known (type 2); expected zstd (1)");
  F.W.Compression = 1;
  F.W.BufferBytes = 100;
  EXPECT_CONTAINS(F.error(), "holds more than the 100 bytes of a buffer");
  F.W.BufferBytes = 1 << 20;
  F.W.Records[From + 8] ^= 1;
  EXPECT_CONTAINS(F.error(), "is damaged: zstd says");
  F.W.Records[From + 8] ^= 1;
  EXPECT_EQ(F.error(), "no error");

  // The stream ends inside a record.
  F.W = Plain;
  F.W.Records.resize(F.W.Records.size() - 3);
  F.W.compress(From, 1000, true);
  Finish();
  EXPECT_CONTAINS(F.error(), "end inside a record");
  F.W = Plain;
  F.W.compress(From, 1000, true);
  F.W.Records[From + 8] = char(0xff); // the size in it
  F.W.Records[From + 9] = char(0xff);
  EXPECT_CONTAINS(F.error(), "says that it has 65535 bytes; only");
  F.W = Plain;
  F.W.aux(0, {}, 1, PerfWriter::NoThread, 1);
  F.W.compress(From, 1000, false);
  EXPECT_CONTAINS(F.error(), "holds a record of type 71, which perf does not");
  F.W = Plain;
  F.W.Records += std::string(8, 0); // a record of no bytes
  F.W.compress(From, 1000, false);
  EXPECT_CONTAINS(F.error(), "holds something that is no record");
}

TEST(PerfData, DamagedWhereItIsCompressed) {
  Perf F;
  Execution X = run(F.P, {.Seed = 3});
  const size_t From = F.W.Records.size();
  F.map(40, F.IdBytes);
  F.W.comm(40, 40, "prog", true);
  F.W.itraceStart(40, 40, 5000, 1);
  F.W.compress(From, 100, false);
  const size_t End = F.W.Records.size();
  F.W.aux(0, X.Packets, 1, PerfWriter::NoThread, 1);
  unsigned Refused = 0;
  for (size_t At = From; At < End; ++At)
    for (unsigned Bit = 0; Bit < 8; ++Bit) {
      F.W.Records[At] ^= char(1 << Bit);
      std::string File = F.W.file();
      auto R = readPerfData("damaged", arrayRefFromStringRef(File));
      Refused += !R;
      if (!R) {
        EXPECT_CONTAINS(toString(R.takeError()), "'damaged'");
      }
      F.W.Records[At] ^= char(1 << Bit);
    }
  EXPECT_GT(Refused, (End - From) * 2);
}

namespace {
/// Sets a variable of the environment while it lives.
struct WithVariable {
  const char *Name;
  std::optional<std::string> Before;
  WithVariable(const char *Name, const std::string &Value) : Name(Name) {
    if (const char *Old = std::getenv(Name))
      Before = Old;
    setenv(Name, Value.c_str(), 1);
  }
  ~WithVariable() {
    if (Before)
      setenv(Name, Before->c_str(), 1);
    else
      unsetenv(Name);
  }
};

/// A program that is not any more where it was.
struct MovedPerf : Perf {
  Execution X = run(P, {.Seed = 3});
  const std::string Recorded = "/no/such/folder/program";
  explicit MovedPerf(bool WithId = true) {
    W.mmap2(40, 0x401000, 0x2000, 0x1000, Recorded, WithId ? IdBytes : "");
    W.itraceStart(40, 40, 5000, 1);
    W.aux(0, X.Packets, 1, PerfWriter::NoThread, 1);
  }
  /// Writes a file below the test's folder.
  std::string place(const Twine &Name, StringRef Contents) {
    SmallString<128> Path(Dir.Path);
    sys::path::append(Path, Name);
    EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(Path)));
    return Dir.write(Name.str(), Contents);
  }
  std::string entry(StringRef Cache) const {
    std::string Id = StringRef(TestBuildId).lower();
    return (Cache + "/.build-id/" + Id.substr(0, 2) + "/" + Id.substr(2)).str();
  }
  /// The path of the module that was taken.
  std::string module() {
    auto T = load();
    if (!T)
      return toString(T.takeError());
    checkSame(T->PCs[0], X.PCs);
    EXPECT_EQ(T->Header.Modules[0].Recorded, Recorded);
    return T->Header.Modules[0].Path;
  }
};
const std::string OtherId = "ffeeddccbbaa99887766ffeeddccbbaa99887766";
} // namespace

TEST(PerfData, Symfs) {
  MovedPerf F;
  WithVariable Cache("PERF_BUILDID_DIR", (F.Dir.Path + "/none").str());
  EXPECT_CONTAINS(F.module(), F.Recorded);
  std::string Folder = (F.Dir.Path + "/sym").str();
  std::string Right = F.place("sym" + F.Recorded, F.P.elf(TestBuildId));
  F.Options.Settings.set(Symfs, Folder);
  EXPECT_EQ(F.module(), Right);
  F.Options.Settings.set(Symfs, Folder + "/");
  EXPECT_EQ(F.module(), Right);
  // perf's cache is then in there, too.
  F.place("sym" + F.Recorded, F.P.elf(OtherId));
  EXPECT_CONTAINS(F.module(), "is not the one that was traced");
  std::string Kept =
      F.place(F.entry("sym/.debug") + "/elf", F.P.elf(TestBuildId));
  EXPECT_EQ(F.module(), Kept);
  // A file where it was does not count.
  MovedPerf G;
  G.W = PerfWriter();
  G.W.info(32, 1u << 31, 1000);
  G.map(40, G.IdBytes);
  G.W.aux(0, G.X.Packets, 1, 40, PerfWriter::NoThread);
  EXPECT_EQ(G.error(), "no error");
  G.Options.Settings.set(Symfs, G.Dir.Path);
  EXPECT_CONTAINS(G.error(), (G.Dir.Path + G.Elf).str());
  G.Options.Settings.set(Symfs, Folder + "/nowhere");
  EXPECT_CONTAINS(G.error(), "nowhere' is no folder");
  auto R = openTrace(G.Dir.write("trace.json", R"({"type": "intel-pt"})"), "",
                     G.Options);
  ASSERT_FALSE(bool(R));
  EXPECT_CONTAINS(toString(R.takeError()), "is no perf.data: --symfs");
}

TEST(PerfData, BuildIdCache) {
  MovedPerf F;
  std::string Folder = (F.Dir.Path + "/cache").str();
  WithVariable Cache("PERF_BUILDID_DIR", Folder);
  EXPECT_CONTAINS(F.module(), F.Recorded);
  // As perf has it: the entry links to a folder with the file.
  std::string Real =
      F.place("cache/usr/bin/program/id/elf", F.P.elf(TestBuildId));
  std::string Entry = (F.Dir.Path + "/" + F.entry("cache")).str();
  EXPECT_FALSE(sys::fs::create_directories(sys::path::parent_path(Entry)));
  EXPECT_FALSE(sys::fs::create_link(sys::path::parent_path(Real), Entry));
  EXPECT_EQ(F.module(), Entry + "/elf");
  // A wrong one is refused; it is named with both ids.
  F.place("cache/usr/bin/program/id/elf", F.P.elf(OtherId));
  std::string Text = F.module();
  EXPECT_CONTAINS(Text, Entry +
                            "/elf' is not the one that was traced: its "
                            "build id is " +
                            StringRef(OtherId).upper());
  EXPECT_CONTAINS(Text, StringRef(TestBuildId).upper());
  // Older versions of perf made the entry the file.
  EXPECT_FALSE(sys::fs::remove(Entry));
  F.place(F.entry("cache"), F.P.elf(TestBuildId));
  EXPECT_EQ(F.module(), Entry);
  // Without a build id nobody can look there.
  MovedPerf G(/*WithId=*/false);
  EXPECT_CONTAINS(G.module(), G.Recorded);
  // It may be in the file's list of build ids.
  G.W.BuildIds.push_back({G.Recorded, G.IdBytes});
  EXPECT_EQ(G.module(), Entry);
  // The place in the home folder.
  WithVariable NoCache("PERF_BUILDID_DIR", "");
  WithVariable Home("HOME", F.Dir.Path.str().str());
  EXPECT_CONTAINS(G.module(), G.Recorded);
  std::string AtHome =
      F.place(F.entry(".debug") + "/elf", F.P.elf(TestBuildId));
  EXPECT_EQ(G.module(), AtHome);
}

TEST(PerfData, VdsoFromTheCache) {
  Perf F;
  WithVariable Cache("PERF_BUILDID_DIR", (F.Dir.Path + "/cache").str());
  Execution X = run(F.P, {.Seed = 3});
  // The program's code as if the kernel had brought it.
  F.W.mmap2(40, 0x401000, 0x2000, 0x1000, "[vdso]", F.IdBytes);
  F.W.itraceStart(40, 40, 5000, 1);
  F.W.aux(0, X.Packets, 1, PerfWriter::NoThread, 1);
  EXPECT_CONTAINS(F.error(), "no instruction could be decoded");
  std::string Id = StringRef(TestBuildId).lower();
  std::string Folder =
      (F.Dir.Path + "/cache/.build-id/" + Id.substr(0, 2) + "/" + Id.substr(2))
          .str();
  ASSERT_FALSE(sys::fs::create_directories(Folder));
  std::error_code EC;
  raw_fd_ostream(Folder + "/vdso", EC) << F.P.elf(TestBuildId);
  auto With = F.load();
  ASSERT_TRUE(bool(With)) << toString(With.takeError());
  checkSame(With->PCs[0], X.PCs);
}

} // namespace rw::intelpt
