//===- RandomCalls.h - Made-up call trees -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_VIEW_RANDOMCALLS_H
#define REWIND_TEST_UNIT_VIEW_RANDOMCALLS_H

#include "core/calls/CallSectionWriter.h"
#include "test/unit/calls/CallTrace.h"
#include "test/unit/support/RandomTrace.h"

namespace rw::viewtest {

/// Nested ranges without an instruction behind them: also those that no program
/// has, such as calls that begin where another one ends.
struct RandomCalls {
  RandomCalls(uint64_t Seed, uint64_t Length, unsigned MaxDepth)
      : Length(Length), R(Seed) {
    Sorter.add(0, Length, 0);
    fill(0, Length, MaxDepth);
    for (unsigned I = 0; I < 8; ++I) {
      callsection::EntryRecord E = {};
      E.PC = 0x1000 * (I + 1);
      E.KindFlags = I == 0   ? unsigned(ActivationKind::Root)
                    : I == 7 ? unsigned(ActivationKind::Exception)
                             : unsigned(ActivationKind::Function);
      // One of the functions never returns.
      if (I != 0 && I != 6)
        E.KindFlags |= unsigned(Activation::Returned) << 8;
      Entries.push_back(E);
    }
    ActivationSorter *Threads[] = {&Sorter};
    llvm::Error E = writeCalls(Section, Threads, Entries, {});
    EXPECT_FALSE(bool(E)) << llvm::toString(std::move(E));
    auto Opened = CallIndex::open(Section.bytes());
    EXPECT_TRUE(bool(Opened)) << llvm::toString(Opened.takeError());
    Index = std::move(*Opened);
    List = calltest::all(*Index, 0);
  }

  uint64_t Length;
  std::unique_ptr<CallIndex> Index;
  std::vector<Activation> List;

private:
  /// Children of an activation [From, To): they do not fill all of it, so that
  /// an inner one is always shorter.
  void fill(Position From, Position To, unsigned Depth) {
    if (!Depth || To - From < 2)
      return;
    Position At = From + R.below(3);
    Position Last = To - (At == From);
    while (At < Last && R.chance(0.93)) {
      uint64_t Room = Last - At;
      uint64_t Size = R.chance(0.3) ? 1 : 1 + R.below(Room);
      if (R.chance(0.5))
        Size = std::min<uint64_t>(Size, 1 + R.below(30));
      fill(At, At + Size, Depth - 1);
      Sorter.add(At, At + Size, uint32_t(1 + R.below(7)));
      At += Size + (R.chance(0.2) ? 0 : 1 + R.below(5));
    }
  }

  Rng R;
  ActivationSorter Sorter{1 << 20};
  calltest::MemorySection Section;
  std::vector<callsection::EntryRecord> Entries;
};

template <class T> T value(llvm::Expected<T> V) {
  EXPECT_TRUE(bool(V)) << llvm::toString(V.takeError());
  return std::move(*V);
}

} // namespace rw::viewtest

#endif // REWIND_TEST_UNIT_VIEW_RANDOMCALLS_H
