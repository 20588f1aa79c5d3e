//===- BundleTest.cpp - What trace.json may and may not say ---------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bundles.h"
#include "PerfWriter.h"
#include "Synth.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw::intelpt {

static constexpr const char *CpuJson =
    R"("cpuInfo": {"vendor": "GenuineIntel", "family": 6, "model": 143, "stepping": 8})";
static constexpr const char *Time =
    R"("tscPerfZeroConversion": {"timeMult": 2147483648, "timeShift": 32, "timeZero": "0x0"})";

/// A program, its packets, and a bundle of them.
struct Bundle {
  Program P = Program::random(3);
  Execution X = run(P, {.Seed = 3});
  TempDir Dir;
  Bundle() {
    Dir.write("program", P.elf(TestBuildId));
    Dir.write("1.ipt", chars(X.Packets));
    describe();
  }
  static std::string module(StringRef File = "program",
                            StringRef Uuid = TestBuildId,
                            StringRef At = "\"0x401000\"") {
    return formatv(R"({{"systemPath": "/was/there", "file": "{0}", )"
                   R"("uuid": "{1}", "loadAddress": {2}})",
                   File, Uuid, At);
  }
  static std::string
  process(StringRef Modules,
          StringRef Threads = R"({"tid": 1, "iptTrace": "1.ipt"})") {
    return formatv(R"("processes": [{{"pid": 9, "threads": [{0}], )"
                   R"("modules": [{1}]}])",
                   Threads, Modules);
  }
  void json(StringRef Text) { Dir.write("trace.json", Text); }
  void describe(StringRef Rest = process(module())) {
    json(formatv(R"({{"type": "intel-pt", {0}, {1}})", CpuJson, Rest).str());
  }
  Expected<Trace> load(bool Missing = false) {
    ReaderOptions Options;
    if (Missing)
      Options.Settings.set(MissingModules);
    auto R = openTrace(Dir.Path, "", Options);
    if (!R)
      return R.takeError();
    Trace T;
    if (Error E = (*R)->read(T))
      return E;
    return T;
  }
  std::string error(bool Missing = false) {
    auto T = load(Missing);
    return T ? "no error" : toString(T.takeError());
  }
};

#define EXPECT_CONTAINS(Text, What)                                            \
  EXPECT_TRUE(StringRef(Text).contains(What)) << Text

TEST(Bundle, Good) {
  Bundle B;
  auto T = B.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  checkSame(T->PCs[0], B.X.PCs);
  ASSERT_EQ(T->Header.Modules.size(), 1u);
  const ModuleInfo &M = T->Header.Modules[0];
  EXPECT_EQ(M.Recorded, "/was/there");
  EXPECT_EQ(M.Path, (B.Dir.Path + "/program").str());
  EXPECT_EQ(M.BuildId, StringRef(TestBuildId).upper());
  EXPECT_EQ(M.LoadAddress, 0x401000u);
  EXPECT_EQ(M.Bytes, B.P.Code.size());
  EXPECT_EQ(T->Header.TimeUnit, "tsc");
  // All code that ran is there, and is the program's.
  std::map<uint64_t, uint8_t> Code;
  uint64_t End = 0;
  for (const CodeRange &R : T->Header.Code) {
    EXPECT_GT(R.Address, End);
    End = R.Address + R.Bytes.size();
    for (size_t I = 0; I < R.Bytes.size(); ++I)
      Code[R.Address + I] = R.Bytes[I];
  }
  for (uint64_t PC : B.X.PCs)
    for (unsigned I = 0; I < B.P.Insns.at(PC).Size; ++I) {
      ASSERT_TRUE(Code.count(PC + I));
      ASSERT_EQ(Code[PC + I], B.P.Code[PC + I - B.P.Base]);
    }
}

TEST(Bundle, Moved) {
  Bundle B;
  B.describe(B.process(B.module("program", TestBuildId, "8388608"),
                       R"({"tid": 7, "traceBuffer": "1.ipt"})"));
  // The packets tell other addresses: nothing is mapped there.
  std::string E = B.error();
  EXPECT_CONTAINS(E, "no instruction could be decoded");
  EXPECT_CONTAINS(E, "no memory mapped at this address");
}

TEST(Bundle, WrongFields) {
  Bundle B;
  struct {
    std::string Text;
    const char *What;
  } Cases[] = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "expected object when parsing traceBundle"},
      {R"({"type": "intel-pt"})", "missing value at traceBundle.cpuInfo"},
      {formatv(R"({{"type": "tarmac", {0}, {1}})", CpuJson, B.process("")),
       "expected \"intel-pt\" at traceBundle.type"},
      {formatv(R"({{"type": "intel-pt", {0}})", CpuJson),
       "at least one process at traceBundle.processes"},
      {formatv(R"({{"type": "intel-pt", {0}, "processes": [{{"pid": 1}]})",
               CpuJson),
       "missing value at traceBundle.processes[0].threads"},
      {formatv(R"({{"type": "intel-pt", {0}, {1}})", CpuJson,
               B.process(B.module("program", TestBuildId, "\"abc\""))),
       "at traceBundle.processes[0].modules[0].loadAddress"},
      {formatv(R"({{"type": "intel-pt", {0}, {1}})", CpuJson,
               B.process(B.module(), R"({"tid": -1, "iptTrace": "1.ipt"})")),
       "at traceBundle.processes[0].threads[0].tid"},
      {formatv(R"({{"type": "intel-pt", {0}, {1}})", CpuJson,
               B.process(B.module(), R"({"tid": 1})")),
       "missing value at traceBundle.processes[0].threads[0].iptTrace"},
      {formatv(R"({{"type": "intel-pt", {0}, {1}, "cpus": []})", CpuJson,
               B.process(B.module())),
       "is necessary with \"cpus\" at traceBundle.tscPerfZeroConversion"},
      {formatv(R"({{"type": "intel-pt", {0}, {1}, "cpus": [], {2}})", CpuJson,
               B.process(B.module()), Time),
       "is not possible together with \"cpus\""},
      {formatv(R"({{"type": "intel-pt", {0}, {1}, )"
               R"("tscPerfZeroConversion": {{"timeMult": 1, "timeShift": 99, )"
               R"("timeZero": 0}})",
               CpuJson, B.process(B.module())),
       "at traceBundle.tscPerfZeroConversion.timeShift"},
      {formatv(R"({{"type": "intel-pt", {0}, "kernel": {{"file": "k"}})",
               CpuJson),
       "is necessary with \"kernel\" at traceBundle.cpus"},
  };
  for (auto &C : Cases) {
    B.json(C.Text);
    auto R = readBundle(B.Dir.Path);
    ASSERT_FALSE(bool(R)) << C.Text;
    std::string E = toString(R.takeError());
    EXPECT_CONTAINS(E, C.What);
    EXPECT_CONTAINS(E, "trace.json");
    if (!StringRef(C.What).contains("JSON")) {
      EXPECT_CONTAINS(E, "Schema:\n{\n  \"type\": \"intel-pt\"");
    }
  }
}

TEST(Bundle, Modules) {
  Bundle B;
  std::string Other(40, 'a');
  B.describe(B.process(B.module("program", Other)));
  std::string E = B.error();
  EXPECT_CONTAINS(E, "program' is not the one that was traced");
  EXPECT_CONTAINS(E, StringRef(TestBuildId).upper());
  EXPECT_CONTAINS(E, StringRef(Other).upper());
  // All its code is gone then.
  EXPECT_CONTAINS(B.error(true), "no instruction could be decoded");

  B.describe(
      B.process(B.module() + "," + B.module("gone", "", "\"0x900000\"")));
  EXPECT_CONTAINS(B.error(), "gone': No such file");
  auto T = B.load(true);
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  checkSame(T->PCs[0], B.X.PCs);
  EXPECT_TRUE(llvm::any_of(T->Header.Notes, [](auto &N) {
    return N.first == "missing" && StringRef(N.second).contains("gone");
  }));

  Program Q = Program::random(4, 0x401010);
  B.Dir.write("second", Q.elf(TestBuildId));
  B.describe(B.process(B.module() + "," + B.module("second")));
  E = B.error();
  EXPECT_CONTAINS(E, "program'");
  EXPECT_CONTAINS(E, "second'");
  EXPECT_CONTAINS(E, "overlap");

  // A file that is named twice at one place is one module's code.
  B.describe(B.process(B.module() + "," + B.module()));
  EXPECT_EQ(B.error(), "no error");

  std::string Whole = B.P.elf(TestBuildId);
  for (size_t Size : {0, 3, 63, 64, 100, 4096, int(Whole.size()) - 1}) {
    B.Dir.write("program", Whole.substr(0, Size));
    B.describe();
    EXPECT_CONTAINS(B.error(), "program'");
  }
  B.Dir.write("program", "#!/bin/sh\n" + std::string(100, ' '));
  EXPECT_CONTAINS(B.error(), "is not an ELF file");
}

TEST(Bundle, Buffers) {
  Bundle B;
  B.Dir.write("1.ipt", "");
  EXPECT_CONTAINS(B.error(), "all its trace buffers are empty");
  B.Dir.write("1.ipt", "{\"type\": \"intel-pt\"}");
  EXPECT_CONTAINS(B.error(), "no complete synchronisation point (PSB)");
  B.describe(B.process(B.module(), R"({"tid": 1, "iptTrace": "2.ipt"})"));
  EXPECT_CONTAINS(B.error(), "2.ipt': No such file");
  // One of two is empty: the other is told.
  B.Dir.write("1.ipt", "");
  B.Dir.write("2.ipt", chars(B.X.Packets));
  B.describe(B.process(B.module(), R"({"tid": 1, "iptTrace": "1.ipt"},)"
                                   R"({"tid": 2, "iptTrace": "2.ipt"})"));
  auto T = B.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  EXPECT_EQ(T->Header.Threads.size(), 2u);
  EXPECT_TRUE(T->PCs[0].empty());
  checkSame(T->PCs[1], B.X.PCs);
}

/// Three threads take turns on a CPU.
TEST(Bundle, Cpus) {
  Bundle B;
  Execution X = run(B.P, {.Seed = 11, .Threads = 3, .SwitchEvery = 61});
  B.Dir.write("cpu.ipt", chars(X.Packets));
  TimeConversion C{0, 1u << 31, 32};
  std::string Records;
  for (const ContextSwitch &S : X.Switches) {
    // Twice as many ticks as nanoseconds.
    Records += perfSwitch(C.nanoseconds(S.Tsc), uint32_t(S.Pid + 8),
                          uint32_t(S.Tid), /*Out=*/false, std::nullopt);
    Records += perfRecord(11, 0, std::string(24, 0)); // of no interest
  }
  B.Dir.write("switches", Records);
  std::string Cpus = R"("cpus": [{"id": 4, "iptTrace": "cpu.ipt",
      "contextSwitchTrace": "switches"}])";
  B.describe(B.process(B.module(), "") + "," + Cpus + "," + Time);
  auto T = B.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 3u);
  std::map<uint64_t, std::vector<uint64_t>> Truth;
  for (size_t I = 0; I < X.PCs.size(); ++I)
    Truth[X.Owners[I] + 1].push_back(X.PCs[I]);
  for (unsigned I = 0; I < 3; ++I) {
    SCOPED_TRACE(T->Header.Threads[I].Name);
    checkSame(T->PCs[I], Truth[T->Header.Threads[I].Id]);
  }
  EXPECT_EQ(llvm::count_if(T->Events,
                           [](const EventItem &E) {
                             return E.Kind == EventKind::CpuChange &&
                                    E.Value == 4;
                           }),
            3);

  // Threads of a process that the bundle does not have are left out.
  std::string Others;
  for (const ContextSwitch &S : X.Switches)
    Others += perfSwitch(C.nanoseconds(S.Tsc), S.Tid == 2 ? 77 : 9,
                         uint32_t(S.Tid), false, std::nullopt);
  B.Dir.write("switches", Others);
  T = B.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 2u);
  for (unsigned I = 0; I < 2; ++I)
    checkSame(T->PCs[I], Truth[T->Header.Threads[I].Id]);
  EXPECT_FALSE(T->Header.Ignored.empty());

  B.Dir.write("switches", Others.substr(0, Others.size() - 5));
  EXPECT_CONTAINS(B.error(), "no perf record at byte");
  B.Dir.write("switches", perfRecord(14, 0, ""));
  EXPECT_CONTAINS(B.error(), "PERF_SAMPLE_TID");
}

TEST(Bundle, KernelOnly) {
  Bundle B;
  constexpr uint64_t At = 0xffffffff81001000;
  Program K = Program::random(5, At);
  B.Dir.write("vmlinux", K.elf(TestBuildId));
  std::vector<Execution> X;
  std::string Cpus;
  for (unsigned C = 0; C < 2; ++C) {
    X.push_back(run(K, {.Seed = C + 1}));
    B.Dir.write(formatv("{0}.ipt", C).str(), chars(X[C].Packets));
    Cpus += formatv(R"({0}{{"id": {1}, "iptTrace": "{1}.ipt", )"
                    R"("contextSwitchTrace": "none"})",
                    C ? "," : "", C);
  }
  B.describe(formatv(R"("kernel": {{"file": "vmlinux", "loadAddress": {0}}, )"
                     R"("cpus": [{1}], {2})",
                     "\"0xffffffff81001000\"", Cpus, Time)
                 .str());
  auto T = B.load();
  ASSERT_TRUE(bool(T)) << toString(T.takeError());
  ASSERT_EQ(T->Header.Threads.size(), 2u);
  EXPECT_EQ(T->Header.Threads[1].Name, "cpu 1");
  for (unsigned C = 0; C < 2; ++C)
    checkSame(T->PCs[C], X[C].PCs);
}

} // namespace rw::intelpt
