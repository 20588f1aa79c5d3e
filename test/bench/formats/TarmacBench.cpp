//===- TarmacBench.cpp - Speed of the Tarmac parser -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parse: one chunk through the line parser, the text already in the cache.
// Scan: the least that any reader must do, finding the lines. The text is made
// up; REWIND_BENCH_TARMAC names a file to take 8 MiB from instead.
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/LineParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>
#include <cstdlib>
#include <cstring>

using namespace rw::tarmac;

static std::string fastModels() {
  std::string S;
  llvm::raw_string_ostream OS(S);
  for (unsigned I = 0; S.size() < (1 << 20); ++I) {
    OS << I << " clk IT (" << I << ") "
       << llvm::format("%08x %08x", 0x210000 + 4 * (I % 999), 0xf9400000 + I)
       << " O EL3h_s : LDR      x0,[x1,#0x0]\n";
    if (I % 3 == 0)
      OS << I << " clk MR8 "
         << llvm::format("%08x:%012x 00000000_%08x\n", 0x40000000 + 8 * I,
                         0x40000000 + 8 * I, I);
    OS << I << " clk R X" << I % 31 << llvm::format(" %016x\n", 0x9e3779b9 * I);
    if (I % 5 == 0)
      OS << I << " clk R cpsr 600003cd\n";
  }
  return S;
}

static std::string cycleModels() {
  std::string S;
  llvm::raw_string_ostream OS(S);
  const char *Blanks = "                    ";
  for (unsigned I = 0; S.size() < (1 << 20); ++I) {
    OS << llvm::format("%11u tic ES  (%016x:%08x) O el3h_s:         STR\n", I,
                       0x210000 + 4 * (I % 999), 0xf8008401 + I);
    if (I % 3 == 0)
      OS << Blanks
         << llvm::format("ST 00000000%08x ........ ........ 00000000 %08x    "
                         "S:%011x    nGnRnE OSH\n",
                         0x40000000 + 16 * I, I, 0x40000000 + 16 * I);
    OS << Blanks << "R X" << I % 31 << llvm::format(" %016x\n", 0x9e3779b9 * I);
    if (I % 4 == 0)
      OS << Blanks << "BR (0000000000210070) O\n";
  }
  return S;
}

static std::vector<std::string> pieces(std::string Default) {
  const char *Path = std::getenv("REWIND_BENCH_TARMAC");
  if (!Path)
    return {std::move(Default)};
  auto Buffer = llvm::MemoryBuffer::getFileSlice(Path, 8 << 20, 0);
  std::vector<std::string> Out;
  if (!Buffer)
    return Out;
  llvm::StringRef Text = (*Buffer)->getBuffer();
  while (!Text.empty()) {
    size_t End = Text.find("\n", std::min<size_t>(Text.size(), 1 << 20));
    Out.push_back(Text.take_front(End).str() + "\n");
    Text = End == llvm::StringRef::npos ? "" : Text.drop_front(End + 1);
  }
  return Out;
}

static void parse(benchmark::State &State, std::string Default) {
  std::vector<Chunk> Chunks;
  uint64_t Bytes = 0;
  for (const std::string &Text : pieces(std::move(Default))) {
    Chunk &C = Chunks.emplace_back();
    C.reserve(Text.size());
    std::memcpy(C.Text.get(), Text.data(), Text.size());
    C.Size = Text.size();
    C.seal();
    Bytes += Text.size();
  }
  if (Chunks.empty())
    return State.SkipWithError("cannot read $REWIND_BENCH_TARMAC");
  SharedNames Names;
  LineParser Parser({}, Names);
  uint64_t Insns = 0;
  for (auto _ : State)
    for (Chunk &C : Chunks) {
      Parser.parse(C);
      Insns += C.Parsed.Batch.Insns.size();
    }
  State.SetBytesProcessed(int64_t(State.iterations() * Bytes));
  State.counters["insns/s"] =
      benchmark::Counter(double(Insns), benchmark::Counter::kIsRate);
}

static void scan(benchmark::State &State, std::string Default) {
  std::vector<std::string> Texts = pieces(std::move(Default));
  uint64_t Bytes = 0, Lines = 0;
  for (const std::string &T : Texts)
    Bytes += T.size();
  for (auto _ : State)
    for (const std::string &T : Texts)
      for (const char *P = T.data(), *E = P + T.size();
           P && P < E &&
           (P = static_cast<const char *>(std::memchr(P, '\n', size_t(E - P))));
           ++P)
        benchmark::DoNotOptimize(++Lines);
  State.SetBytesProcessed(int64_t(State.iterations() * Bytes));
}

BENCHMARK_CAPTURE(parse, FastModels, fastModels());
BENCHMARK_CAPTURE(parse, CycleModels, cycleModels());
BENCHMARK_CAPTURE(scan, FastModels, fastModels());
BENCHMARK_CAPTURE(scan, CycleModels, cycleModels());
