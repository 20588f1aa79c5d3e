//===- QueryBench.cpp - What questions to a store cost --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// query-bench STORE [COUNT]: opens a store, asks one question, then COUNT
// random questions of each kind, and prints as JSON what they took: medians and
// the worst, in microseconds. The locations asked for are ones that the trace
// uses: those of random instructions' own accesses.
//
//===----------------------------------------------------------------------===//

#include "core/store/TraceStore.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>

using namespace rw;
using Clock = std::chrono::steady_clock;

static double microseconds(Clock::time_point Since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - Since)
      .count();
}

namespace {

class Bench {
public:
  Bench(const TraceStore &S, unsigned Count) : S(S), Count(Count) {}

  template <typename F> void row(const char *Name, F Ask) {
    std::vector<double> Times;
    for (unsigned I = 0; I < Count; ++I) {
      Moment M = Random() % S.numInstructions();
      auto Begin = Clock::now();
      bool Ok = Ask(M, I);
      Times.push_back(microseconds(Begin));
      if (!Ok) {
        llvm::errs() << "query-bench: '" << Name << "' failed at #" << M
                     << "\n";
        exit(1);
      }
    }
    std::sort(Times.begin(), Times.end());
    Rows[Name] = llvm::json::Object{{"median_us", Times[Count / 2]},
                                    {"p99_us", Times[Count * 99 / 100]},
                                    {"worst_us", Times.back()}};
  }

  std::mt19937_64 Random{1};
  llvm::json::Object Rows;

private:
  const TraceStore &S;
  unsigned Count;
};

} // namespace

template <typename T> static bool good(llvm::Expected<T> E) {
  if (E)
    return true;
  llvm::errs() << llvm::toString(E.takeError()) << "\n";
  return false;
}

int main(int argc, char **argv) {
  if (argc < 2 || argc > 3) {
    llvm::errs() << "usage: query-bench STORE [COUNT]\n";
    return 2;
  }
  unsigned Count = argc > 2 ? unsigned(std::max(1, atoi(argv[2]))) : 10000;
  auto Begin = Clock::now();
  auto Store = TraceStore::open(argv[1]);
  if (!Store) {
    llvm::errs() << llvm::toString(Store.takeError()) << "\n";
    return 1;
  }
  TraceStore &S = **Store;
  uint64_t N = S.numInstructions();
  if (!N || !good(S.lastRegisterWrite(0, 0, 0xff, N / 2)))
    return 1;
  double Open = microseconds(Begin);

  // CPU time of reading every instruction with all that it did.
  const std::clock_t Start = std::clock();
  auto All = S.cursor(/*WithEffects=*/true);
  while (All->next())
    ;
  if (llvm::Error E = All->takeError()) {
    llvm::errs() << llvm::toString(std::move(E)) << "\n";
    return 1;
  }
  const double Read = double(std::clock() - Start) / CLOCKS_PER_SEC;

  Bench B(S, Count);
  // Addresses that the program accesses, gathered beforehand.
  std::vector<uint64_t> Addresses;
  auto Cursor = S.cursor(/*WithEffects=*/true);
  while (Addresses.size() < Count) {
    Cursor->seek(B.Random() % N);
    bool Found = false;
    for (unsigned Tries = 0; Tries < 1000 && !Found; ++Tries) {
      const Instruction *I = Cursor->next();
      if (!I)
        break;
      if ((Found = !I->Mems.empty()))
        Addresses.push_back(I->Mems.front().Addr);
    }
    if (!Found && Addresses.empty() && B.Random() % 100 == 0)
      break; // a trace without memory accesses
  }

  B.row("last write of a register", [&](Moment M, unsigned I) {
    return good(S.lastRegisterWrite(0, I % 31, 0xff, M));
  });
  if (!Addresses.empty())
    B.row("last write of 8 bytes", [&](Moment M, unsigned I) {
      return good(
          S.lastAccess(Addresses[I] & ~uint64_t(7), 8, AccessKind::Write, M));
    });
  B.row("all registers at a position", [&](Moment M, unsigned) {
    return good(S.registersAt(0, M, TraceStore::RegisterSet::General));
  });
  if (!Addresses.empty())
    B.row("64 bytes of memory at a position", [&](Moment M, unsigned I) {
      uint8_t Bytes[64], Known[64];
      llvm::Error E = S.memoryAt(M, Addresses[I] & ~uint64_t(63), Bytes, Known);
      bool Ok = !E;
      if (E)
        llvm::errs() << llvm::toString(std::move(E)) << "\n";
      return Ok;
    });
  std::vector<uint64_t> PCs = S.distinctPCs();
  B.row("last visit of a pc", [&](Moment M, unsigned I) {
    return good(S.lastVisit(PCs[(I * 7919ull) % PCs.size()], M));
  });
  B.row("one instruction with its effects",
        [&](Moment M, unsigned) { return good(S.instruction(M)); });

  llvm::json::Object Out{
      {"instructions", N},
      {"store_bytes", S.storeBytes()},
      {"bytes_per_instruction", double(S.storeBytes()) / double(N)},
      {"open_and_first_query_us", Open},
      {"read_all_s", Read},
      {"queries", std::move(B.Rows)}};
  llvm::outs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(Out)))
               << "\n";
  return 0;
}
