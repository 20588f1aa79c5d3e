//===- IndexTest.cpp - Stores of bundles ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "PerfWriter.h"
#include "Synth.h"
#include "core/formats/intelpt/IntelPTReader.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::intelpt {

/// A bundle is several files: a store is stale if any of them has changed.
TEST(Index, StaleWithAnyFile) {
  TempDir Dir;
  Program P = Program::random(3);
  Execution X = run(P, {.Seed = 3}),
            Y = run(P, {.Seed = 4, .Instructions = 99});
  Dir.write("program", P.elf("00112233445566778899"));
  std::string Packets = Dir.write("1.ipt", chars(X.Packets));
  std::string Json = Dir.write("trace.json", R"({"type": "intel-pt",
    "cpuInfo": {"vendor": "GenuineIntel", "family": 6, "model": 143,
                "stepping": 8},
    "processes": [{"pid": 1, "threads": [{"tid": 1, "iptTrace": "1.ipt"}],
      "modules": [{"systemPath": "program", "file": "program",
                   "loadAddress": "0x401000"}]}]})");
  TempDir Elsewhere;
  for (const std::string &Trace : {Json, Dir.Path.str().str()}) {
    SCOPED_TRACE(Trace);
    Dir.write("1.ipt", chars(X.Packets));
    IndexOptions Options;
    Options.IndexPath = (Elsewhere.Path + "/store").str();
    sys::fs::remove(Options.IndexPath);
    auto build = [&](bool Built, size_t Instructions) {
      IndexReport Report;
      auto Store = openOrBuildStore(Trace, Options, &Report);
      ASSERT_TRUE(bool(Store)) << toString(Store.takeError());
      EXPECT_EQ(Report.Built, Built) << Report.Why;
      EXPECT_EQ((*Store)->numInstructions(), Instructions);
      EXPECT_EQ((*Store)->header().Modules.size(), 1u);
    };
    build(true, X.PCs.size());
    build(false, X.PCs.size());
    Dir.write("1.ipt", chars(Y.Packets));
    build(true, Y.PCs.size());
    build(false, Y.PCs.size());
    // What else lies in the directory does not matter.
    Dir.write("notes.txt", "x");
    build(false, Y.PCs.size());
    sys::fs::remove(Packets);
    auto Gone = openOrBuildStore(Trace, Options);
    ASSERT_FALSE(bool(Gone));
    EXPECT_TRUE(StringRef(toString(Gone.takeError())).contains("1.ipt"));
  }
}

/// So is that of perf.data if code that was mapped has changed: it names the
/// files, and what ran is read from them.
TEST(Index, StaleWithAnyModuleOfPerfData) {
  TempDir Dir;
  Program P = Program::random(3);
  Execution X = run(P, {.Seed = 3});
  const std::string Code = P.elf("00112233445566778899");
  std::string Elf = Dir.write("program", Code);
  std::string Absent = (Dir.Path + "/absent").str();
  PerfWriter W;
  W.info(32, 1u << 31, 1000);
  W.comm(40, 41, "program", true);
  W.mmap2(40, 0x401000, 0x2000, 0x1000, Elf);
  W.mmap2(40, 0x700000, 0x2000, 0, Absent);
  W.itraceStart(40, 41, 500, 0);
  W.aux(0, X.Packets, 0, 41, PerfWriter::NoThread);
  std::string Trace = Dir.write("perf.data", W.file());
  EXPECT_EQ(companionFiles(Trace), (std::vector<std::string>{Absent, Elf}));
  IndexOptions Options;
  Options.Reader.Settings.set(MissingModules);
  auto build = [&](bool Built) {
    IndexReport Report;
    auto Store = openOrBuildStore(Trace, Options, &Report);
    ASSERT_TRUE(bool(Store)) << toString(Store.takeError());
    EXPECT_EQ(Report.Built, Built) << Report.Why;
    EXPECT_EQ((*Store)->numInstructions(), X.PCs.size());
  };
  build(true);
  build(false);
  Dir.write("program", Code + "changed");
  build(true);
  build(false);
  // One that was not there has come.
  Dir.write("absent", Code);
  build(true);
  build(false);
  // What cannot be understood has no companions, and no crash.
  for (size_t Cut : {size_t(8), size_t(40), W.file().size() / 2})
    EXPECT_TRUE(
        companionFiles(Dir.write("cut", W.file().substr(0, Cut))).empty());
}

/// A module of a build that is known may be in perf's cache or below --symfs:
/// an index is stale when it comes, goes or changes there.
TEST(Index, StaleWithAnyPlaceOfAModule) {
  TempDir Dir;
  Program P = Program::random(3);
  Execution X = run(P, {.Seed = 3});
  const std::string Id(20, char(0xab));
  const std::string Code = P.elf(toHex(Id));
  const std::string Folder = (Dir.Path + "/a;b%c").str();
  ASSERT_FALSE(sys::fs::create_directories(Folder + "/lib"));
  PerfWriter W;
  W.info(32, 1u << 31, 1000);
  W.mmap2(40, 0x401000, 0x2000, 0x1000, "/lib/program", Id);
  W.itraceStart(40, 41, 500, 0);
  W.aux(0, X.Packets, 0, 41, PerfWriter::NoThread);
  std::string Trace = Dir.write("perf.data", W.file());
  IndexOptions Options;
  Options.Reader.Settings.set(Symfs, Folder);
  const std::string Cached =
      Folder + "/.debug/.build-id/ab/" + toHex(Id, true).substr(2) + "/elf";
  EXPECT_TRUE(
      is_contained(companionFiles(Trace, Options.Reader.Settings), Cached));
  auto build = [&](bool Built, bool Verify = false) {
    IndexReport Report;
    Options.Verify = Verify;
    auto Store = openOrBuildStore(Trace, Options, &Report);
    ASSERT_TRUE(bool(Store)) << toString(Store.takeError());
    EXPECT_EQ(Report.Built, Built) << Report.Why;
    EXPECT_EQ((*Store)->numInstructions(), X.PCs.size());
    EXPECT_EQ(toString(checkUnchanged(**Store, Trace)), "");
  };
  Dir.write("a;b%c/lib/program", Code);
  build(true);
  build(false);
  build(true, /*Verify=*/true);
  build(false, true);
  // It is in the cache, too; and then only there.
  ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(Cached)));
  std::error_code EC;
  raw_fd_ostream(Cached, EC) << Code;
  build(true);
  build(false);
  sys::fs::remove(Folder + "/lib/program");
  build(true);
  build(false);
  {
    auto Store = openOrBuildStore(Trace, Options);
    ASSERT_TRUE(bool(Store));
    raw_fd_ostream(Cached, EC) << Code << "changed";
    EXPECT_NE(toString(checkUnchanged(**Store, Trace)), "");
  }
  build(true);
  sys::fs::remove(Cached);
  auto Gone = openOrBuildStore(Trace, Options);
  ASSERT_FALSE(bool(Gone));
  EXPECT_TRUE(StringRef(toString(Gone.takeError())).contains("/lib/program"));
}

} // namespace rw::intelpt
