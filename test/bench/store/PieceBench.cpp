//===- PieceBench.cpp - What the pieces of the store cost -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/store/Codec.h"
#include "core/store/GranuleList.h"
#include "core/store/RunTokens.h"
#include "core/store/SegmentEncoder.h"
#include "core/store/StoreImpl.h"
#include <benchmark/benchmark.h>
#include <random>

using namespace rw;

/// A block's worth of runs: a loop of the given length, or no pattern at all.
static std::vector<uint32_t> runs(int64_t Loop) {
  std::mt19937 R(1);
  std::vector<uint32_t> Out;
  for (unsigned I = 0; I < 100; ++I)
    Out.push_back(Loop ? 1000 + I % unsigned(Loop) : R() % 30000);
  return Out;
}

static void encodeRunTokens(benchmark::State &S) {
  std::vector<uint32_t> Runs = runs(S.range(0));
  Bytes Out;
  for (auto _ : S) {
    Out.clear();
    putRunTokens(Out, Runs);
    benchmark::DoNotOptimize(Out.data());
  }
  S.SetItemsProcessed(int64_t(S.iterations() * Runs.size()));
  S.counters["bytes"] = double(Out.size());
}
BENCHMARK(encodeRunTokens)->Arg(0)->Arg(5);

static void decodeRunTokens(benchmark::State &S) {
  std::vector<uint32_t> Runs = runs(S.range(0));
  Bytes Data;
  putRunTokens(Data, Runs);
  for (auto _ : S) {
    RunTokenReader In(Data.data(), Data.data() + Data.size());
    uint64_t Sum = 0;
    for (size_t I = 0; I < Runs.size(); ++I)
      Sum += In.next();
    benchmark::DoNotOptimize(Sum);
  }
  S.SetItemsProcessed(int64_t(S.iterations() * Runs.size()));
}
BENCHMARK(decodeRunTokens)->Arg(0)->Arg(5);

/// Register values that no prediction meets: small steps, pointers, noise.
static void codeRegisters(benchmark::State &S) {
  std::mt19937_64 R(1);
  std::vector<uint64_t> Values;
  uint64_t V = 0x7fff0000;
  for (unsigned I = 0; I < 512; ++I)
    Values.push_back(V = I % 3 ? V + R() % 100 : 0x400000 + R() % 0xffffff);
  bool Decode = S.range(0);
  Bytes Payload;
  for (auto _ : S) {
    Payload.clear();
    codec::RecentValueFinder Recent;
    std::vector<uint8_t> Codes;
    uint64_t Prev = 0;
    for (uint64_t Value : Values) {
      codec::Coded C = codec::encodeReg(Value, ~uint64_t(0), Prev, nullptr, 0,
                                        /*Float=*/false, Recent);
      Codes.push_back(C.Code);
      putBytes(Payload, C.Payload, C.NumBytes);
      Recent.add(Value);
      Prev = Value;
    }
    if (Decode) {
      codec::RecentValues Again;
      ByteReader In(Payload.data(), Payload.data() + Payload.size());
      Prev = 0;
      for (uint8_t Code : Codes) {
        Prev = codec::decodeReg(Code, ~uint64_t(0), Prev, In, false, Again);
        Again.add(Prev);
      }
    }
    benchmark::DoNotOptimize(Prev);
  }
  S.SetItemsProcessed(int64_t(S.iterations() * Values.size()));
  S.counters["bytes/value"] = double(Payload.size()) / double(Values.size());
}
BENCHMARK(codeRegisters)->ArgName("and_decode")->Arg(0)->Arg(1);

/// The accesses to one granule: as many entries as the argument, every third
/// one a write.
static Bytes granuleRecord(unsigned Entries) {
  SegmentMemory M;
  for (unsigned I = 0; I < Entries; ++I)
    M.Entries.push_back({I / 3 * 0x10001ull, I ? I - 1 : NoEntry, uint16_t(I),
                         uint8_t(I % 3 ? 0 : 0xff), 0xff, 0xff, 0,
                         uint16_t(I % 400)});
  M.Touched.push_back({0x1000, Entries - 1});
  Bytes Out;
  EncodedSegment::Keys Pages;
  encodeMemory(M, Out, Pages);
  return Out;
}

static void searchGranuleList(benchmark::State &S) {
  unsigned N = unsigned(S.range(0));
  Bytes Record = granuleRecord(N);
  // A record of one granule: its list begins after count, index and offset.
  granule::List L(Record.data() + 6, Record.data() + Record.size());
  std::mt19937 R(1);
  for (auto _ : S)
    benchmark::DoNotOptimize(L.last(
        R() % N, [](const granule::Entry &E) { return E.Written != 0; }));
  S.counters["bytes/entry"] = double(Record.size()) / N;
}
BENCHMARK(searchGranuleList)->Arg(1)->Arg(30)->Arg(1000);

static void searchBlockList(benchmark::State &S) {
  std::vector<uint16_t> Blocks;
  for (unsigned B = 0; B < 1024; B += unsigned(S.range(0)))
    Blocks.push_back(uint16_t(B));
  Bytes Data;
  putBlockList(Data, Blocks, 1024);
  std::mt19937 R(1);
  for (auto _ : S)
    benchmark::DoNotOptimize(
        BlockList(Data.data(), Data.data() + Data.size(), 1024)
            .last(int(R() % 1024)));
  S.counters["bytes"] = double(Data.size());
}
BENCHMARK(searchBlockList)->ArgName("every")->Arg(1)->Arg(20)->Arg(500);
