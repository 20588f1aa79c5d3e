//===- ReadersTest.cpp - Who has read a byte, against a naive set ---------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/Readers.h"
#include "gtest/gtest.h"
#include <map>
#include <random>
#include <set>

using namespace rw;
using namespace rw::dataflow;

namespace {

/// A call's stamps are those of its caller once it has ended.
struct Calls {
  static constexpr uint64_t Sites = 5;
  uint64_t Ended = 0, Asked = 0;

  uint64_t canonical(uint64_t S) {
    ++Asked;
    return S < Ended ? S % Sites : S;
  }
  uint64_t latest(uint64_t A, uint64_t B, bool &Both) {
    Both = canonical(A) != canonical(B);
    return B;
  }
};

} // namespace

TEST(Readers, AnySequenceEqualsASet) {
  std::mt19937 Random(7);
  for (unsigned Round = 0; Round < 200; ++Round) {
    SCOPED_TRACE(Round);
    Calls D;
    Readers<uint64_t> R;
    std::map<uint64_t, std::set<uint64_t>> Naive; // by byte
    uint64_t Next = 100;
    for (unsigned I = 0; I < 300; ++I) {
      const Range Bytes{Random() % 24, 1u << Random() % 4};
      switch (Random() % 8) {
      case 0: {
        for (uint64_t G = Bytes.Addr / 8; G <= (Bytes.end() - 1) / 8; ++G) {
          const uint64_t Begin = std::max<uint64_t>(Bytes.Addr, G * 8);
          const uint64_t End = std::min<uint64_t>(Bytes.end(), G * 8 + 8);
          std::multiset<uint64_t> Is;
          R.forEach(D, {Begin, uint32_t(End - Begin)},
                    [&](uint64_t By) { Is.insert(D.canonical(By)); });
          std::set<uint64_t> Wanted;
          for (uint64_t B = Begin; B < End; ++B)
            for (uint64_t By : Naive[B])
              Wanted.insert(D.canonical(By));
          // Each once.
          ASSERT_EQ(Is, std::multiset<uint64_t>(Wanted.begin(), Wanted.end()));
        }
        R.clear(Bytes);
        for (uint64_t B = Bytes.Addr; B < Bytes.end(); ++B)
          Naive[B].clear();
        break;
      }
      case 1:
        D.Ended = Next;
        break;
      case 2:
        ++Next;
        [[fallthrough]];
      default:
        R.add(D, Bytes, Next);
        for (uint64_t B = Bytes.Addr; B < Bytes.end(); ++B)
          Naive[B].insert(Next);
      }
    }
  }
}

/// What is read in every call of a long run costs no more at its end.
TEST(Readers, ManyCallsCostTheSame) {
  auto Cost = [](unsigned Reads) {
    Calls D;
    Readers<uint64_t> R;
    for (unsigned I = 0; I < Reads; ++I) {
      R.add(D, {0, 8}, 100 + I);
      D.Ended = 100 + I;
    }
    return double(D.Asked) / Reads;
  };
  EXPECT_LT(Cost(100000), 1.5 * Cost(1000));
}
