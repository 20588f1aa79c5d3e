//===- PassBench.cpp - How fast HTR's passes are --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes on made-up runs of two kinds: "regular", a program of nested loops
// and calls with a few branches, and "branchy", where every second block ends
// in a branch that nobody can foretell. Units per second are those of the
// instruction layer that goes in.
//
//===----------------------------------------------------------------------===//

#include "benchmark/benchmark.h"
#include "core/htr/HtrFile.h"
#include "core/htr/Pass.h"
#include <memory>
#include <random>

using namespace llvm;
using namespace rw;
using namespace rw::htr;

namespace {

/// A program: functions of straight pieces, loops, branches and calls of
/// functions with higher numbers.
class Runner {
public:
  Runner(uint64_t Wanted, bool Branchy)
      : Wanted(Wanted), Branchy(Branchy), Random(Branchy ? 2 : 1) {
    Layer &L = H.beginLayer("instructions");
    constexpr unsigned NumFunctions = 60;
    for (unsigned F = 0; F < NumFunctions; ++F)
      Entry.push_back(piece(8));
    for (unsigned F = 0; F < NumFunctions; ++F) {
      Header.push_back(piece(4));
      ArmA.push_back(piece(3 + F % 5));
      ArmB.push_back(piece(2 + F % 7));
      Latch.push_back(piece(3));
      Leave.push_back(piece(5));
    }
    Piece Start = piece(20);
    emit(Start);
    while (Units().size() < Wanted)
      for (unsigned F = 0; F < 6 && Units().size() < Wanted; ++F)
        call(F * 3);
    L.Units.endSequence();
    H.ThreadBase.push_back(L.Units.size());
    H.endLayer();
  }

  Hierarchy H;
  std::vector<Call> Calls;

private:
  using Piece = std::pair<BlockId, BlockId>;
  uint64_t Wanted;
  bool Branchy;
  std::mt19937 Random;
  unsigned Depth = 0;
  std::vector<Piece> Entry, Header, ArmA, ArmB, Latch, Leave;

  UnitList &Units() { return H.Layers[0].Units; }
  Piece piece(unsigned Size) {
    BlockId First = H.Dict.size();
    for (unsigned I = 0; I < Size; ++I)
      H.addLeaf(BlockKind::Instruction, 0x10000 + 4 * H.Dict.size());
    return {First, First + Size};
  }
  void emit(Piece P) {
    for (BlockId B = P.first; B < P.second; ++B)
      Units().push_back(B);
  }
  void call(unsigned F) {
    size_t Index = Calls.size();
    Calls.push_back({Units().size(), 0, H.Dict.Value[Entry[F].first]});
    emit(Entry[F]);
    unsigned Times = Branchy ? 2 + Random() % 12 : 4 + F % 24;
    for (unsigned I = 0; I < Times; ++I) {
      emit(Header[F]);
      bool A = Branchy ? Random() % 2 : (I * 7 + F) % 16 != 0;
      emit(A ? ArmA[F] : ArmB[F]);
      if (!A && F + 9 < Entry.size() && ++Depth <= 3)
        call(F + 1 + (Branchy ? Random() % 8 : F % 8));
      Depth -= !A && F + 9 < Entry.size();
      emit(Latch[F]);
    }
    emit(Leave[F]);
    Calls[Index].End = Units().size();
  }
};

const Runner &runOf(uint64_t Size, bool Branchy) {
  static std::map<std::pair<uint64_t, bool>, std::unique_ptr<Runner>> Runs;
  auto &R = Runs[{Size, Branchy}];
  if (!R) {
    Runs.clear();
    auto &New = Runs[{Size, Branchy}];
    New = std::make_unique<Runner>(Size, Branchy);
    return *New;
  }
  return *R;
}

void runPasses(benchmark::State &State, StringRef Passes, bool Branchy) {
  const Runner &R = runOf(State.range(0), Branchy);
  auto Pipeline = cantFail(parsePipeline(Passes));
  PassContext Context;
  Context.Calls = [&](ThreadIndex, function_ref<bool(const Call &)> F) {
    for (const Call &C : R.Calls)
      if (!F(C))
        break;
    return Error::success();
  };
  uint64_t Units = 0, Dictionary = 0;
  for (auto _ : State) {
    State.PauseTiming();
    Hierarchy H = R.H;
    State.ResumeTiming();
    for (const Pass *P : Pipeline)
      cantFail(P->Run(H, Context));
    benchmark::DoNotOptimize(H);
    State.PauseTiming();
    Units = H.top().Units.size();
    Dictionary = H.Dict.bytes();
    State.ResumeTiming();
  }
  uint64_t In = R.H.top().Units.size();
  State.SetItemsProcessed(State.iterations() * In);
  State.counters["units_out"] = Units;
  State.counters["dict_bytes"] = Dictionary;
}

/// Finding all occurrences and packing the file: what comes after the passes.
void finish(benchmark::State &State, StringRef Passes, bool Branchy) {
  const Runner &R = runOf(State.range(0), Branchy);
  PassContext Context;
  Context.Calls = [&](ThreadIndex, function_ref<bool(const Call &)> F) {
    for (const Call &C : R.Calls)
      if (!F(C))
        break;
    return Error::success();
  };
  Hierarchy H = R.H;
  for (const Pass *P : cantFail(parsePipeline(Passes)))
    cantFail(P->Run(H, Context));
  TimeTable Times;
  for (uint64_t P = 0; P < H.numInstructions(); ++P)
    Times.push(P * 3);
  size_t Bytes = 0;
  for (auto _ : State) {
    Statistics S = cantFail(collect(H, Times, countLeaves(H, Times)));
    RunResult R{std::move(H), std::move(S), {}};
    Bytes = cantFail(htrBytes(R))->getBufferSize();
    H = std::move(R.H);
  }
  State.SetItemsProcessed(State.iterations() * H.numInstructions());
  State.counters["bytes_per_insn"] = double(Bytes) / H.numInstructions();
}

void registerAll() {
  for (bool Branchy : {false, true})
    for (const char *Passes :
         {"bsb", "functions", "flow-loops", "loops", "grammar",
          "functions,bsb,flow-loops", "functions,bsb,loops"}) {
      std::string Kind = Branchy ? "branchy" : "regular";
      auto *B = benchmark::RegisterBenchmark(
          ("pass/" + std::string(Passes) + "/" + Kind).c_str(),
          [=](benchmark::State &S) { runPasses(S, Passes, Branchy); });
      B->Arg(1000000)->Arg(10000000)->Arg(100000000)->Unit(
          benchmark::kMillisecond);
      auto *F = benchmark::RegisterBenchmark(
          ("file/" + std::string(Passes) + "/" + Kind).c_str(),
          [=](benchmark::State &S) { finish(S, Passes, Branchy); });
      F->Arg(1000000)->Arg(10000000)->Arg(100000000)->Unit(
          benchmark::kMillisecond);
    }
}
const bool Registered = (registerAll(), true);

} // namespace
