//===- TtuTreeTest.cpp ---------------------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/calls/TtuTree.h"
#include "CallTrace.h"
#include <random>
#include <tuple>

using namespace rw;
using namespace rw::calltest;

namespace {

/// Start, end, depth.
using Nodes = std::vector<std::tuple<Position, Position, size_t>>;

/// All calls at once: starts count depth up, the sorted ends count it down.
Nodes naiveNodes(const CallIndex &Index) {
  std::vector<std::pair<Position, Position>> Calls;
  llvm::cantFail(Index.forEach(0, 0, ~uint64_t(0), [&](const Activation &A) {
    if (A.Kind == ActivationKind::Root || (A.Flags & Activation::TtuCall))
      Calls.push_back({A.Start, A.End});
    return true;
  }));
  CallIndex::TtuOnlyPlace Place;
  while (auto A = llvm::cantFail(Index.nextTtuOnly(0, Place)))
    Calls.push_back({A->Start, A->End});
  llvm::stable_sort(Calls, [](auto &A, auto &B) { return A.first < B.first; });
  std::vector<Position> Ends;
  for (auto &Call : Calls)
    Ends.push_back(Call.second);
  llvm::sort(Ends);
  Nodes Result;
  std::vector<size_t> Open;
  size_t NextEnd = 0;
  for (size_t I = 0; I <= Calls.size(); ++I) {
    while (!Open.empty() &&
           (I == Calls.size() || Ends[NextEnd] <= Calls[I].first)) {
      std::get<1>(Result[Open.back()]) = Ends[NextEnd++];
      Open.pop_back();
    }
    if (I == Calls.size())
      break;
    Result.push_back({Calls[I].first, 0, Open.size()});
    Open.push_back(I);
  }
  return Result;
}

Nodes streamedNodes(const CallIndex &Index) {
  Nodes Result;
  std::vector<size_t> Open;
  TtuCalls Calls(Index, 0);
  while (auto E = llvm::cantFail(Calls.next())) {
    if (E->Entry) {
      Result.push_back({E->At, 0, Open.size()});
      Open.push_back(Result.size() - 1);
    } else {
      std::get<1>(Result[Open.back()]) = E->At;
      Open.pop_back();
    }
    EXPECT_EQ(Calls.depth(), Open.size());
  }
  EXPECT_TRUE(Open.empty());
  return Result;
}

/// Calls, jumps and returns to anywhere, with few addresses and few stack
/// pointers: what belongs together for TTU crosses what does for us.
TEST(TtuCalls, AreThoseOfAllCallsAtOnce) {
  size_t Crossing = 0;
  for (unsigned Seed = 0; Seed < 200; ++Seed) {
    CallTrace T;
    std::mt19937 Random(Seed);
    auto Below = [&](unsigned N) { return unsigned(Random() % N); };
    uint64_t PC = 0x1000, SP = 0x8000;
    T.insn(PC, a64::Nop, {T.sp(SP)});
    for (unsigned I = 0; I < 3000; ++I) {
      PC += 4;
      switch (Below(8)) {
      case 0:
      case 1:
        T.insn(PC, a64::Bl, {T.lr(PC + 4)});
        PC = 0x1000 + 0x40 * Below(8) - 4;
        break;
      case 2:
      case 3:
        T.insn(PC, Below(2) ? a64::Ret : a64::Br);
        PC = 0x1000 + 4 * Below(0x90) - 4;
        break;
      case 4:
        SP = 0x8000 - 0x10 * Below(3);
        T.insn(PC, a64::Nop, {T.sp(SP)});
        break;
      default:
        T.insn(PC, a64::Nop);
      }
    }
    auto Index = T.finish();
    CallIndex::TtuOnlyPlace Place;
    while (llvm::cantFail(Index->nextTtuOnly(0, Place)))
      ++Crossing;
    EXPECT_EQ(streamedNodes(*Index), naiveNodes(*Index)) << "seed " << Seed;
  }
  EXPECT_GT(Crossing, 1000u);
}

} // namespace
