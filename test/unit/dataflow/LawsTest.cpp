//===- LawsTest.cpp - How critical paths grow -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Algorithms whose critical paths are known as functions of their size, at five
// sizes each. (The recursion of Fibonacci's numbers is a worked example.)
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::dataflow;

namespace {

uint64_t pathOf(const Program &P, ControlMode Control = ControlMode::None) {
  ModelOptions O;
  O.Control = Control;
  const uint64_t Length = measure(P, O).Length;
  EXPECT_EQ(measure(P, O, nullptr, 0, /*Traced=*/true).Length, Length);
  return Length;
}

TEST(Laws, ListWalk) {
  for (unsigned N : {1u, 10u, 100u, 1000u, 10000u}) {
    Program P;
    unsigned Value = P.load(x(1), x(0)), Sum = P.op(x(2), {x(1), x(2)}),
             Next = P.load(x(0), x(0));
    for (unsigned K = 0; K < N; ++K) {
      uint64_t Node = 0x1000 + K * 7919 % 10007 * 16;
      P.run(Value, {{Node, 8}});
      P.run(Sum);
      P.run(Next, {{Node + 8, 8}});
    }
    // The last value and its sum come after the last pointer but one.
    EXPECT_EQ(pathOf(P), N + 1);
  }
}

TEST(Laws, PrefixSumInARegister) {
  for (unsigned N : {1u, 10u, 100u, 1000u, 10000u}) {
    Program P;
    unsigned Value = P.load(x(1), x(3)), Sum = P.op(x(0), {x(0), x(1)}),
             Store = P.store(x(0), x(3)), Next = P.addConstant(x(3), x(3));
    for (unsigned K = 0; K < N; ++K) {
      P.run(Value, {{0x1000 + 8 * K, 8}});
      P.run(Sum);
      P.run(Store, {}, {{0x1000 + 8 * K, 8}});
      P.run(Next);
    }
    EXPECT_EQ(pathOf(P), N + 2);
  }
}

TEST(Laws, PrefixSumThroughMemory) {
  for (unsigned N : {1u, 10u, 100u, 1000u, 10000u}) {
    Program P;
    unsigned Last = P.load(x(0), x(3)), Value = P.load(x(1), x(3)),
             Sum = P.op(x(0), {x(0), x(1)}), Store = P.store(x(0), x(3));
    for (unsigned K = 1; K <= N; ++K) {
      P.run(Last, {{0x1000 + 8 * K - 8, 8}});
      P.run(Value, {{0x1000 + 8 * K, 8}});
      P.run(Sum);
      P.run(Store, {}, {{0x1000 + 8 * K, 8}});
    }
    EXPECT_EQ(pathOf(P), 3 * N);
  }
}

TEST(Laws, TreeSum) {
  for (unsigned Log : {1u, 3u, 6u, 9u, 12u}) {
    Program P;
    Makes Pair;
    Pair.Load = {0, MemoryPart::All};
    Pair.Store = {0, MemoryPart::All};
    unsigned Store = P.store(x(0), x(3)), Add = P.code({Pair});
    for (unsigned K = 0; K < 1u << Log; ++K)
      P.run(Store, {}, {{0x1000 + 8 * K, 8}});
    for (unsigned Step = 1; Step < 1u << Log; Step *= 2)
      for (unsigned K = 0; K < 1u << Log; K += 2 * Step)
        P.run(Add, {{0x1000 + 8 * K, 8}, {0x1000 + 8 * (K + Step), 8}},
              {{0x1000 + 8 * K, 8}});
    EXPECT_EQ(pathOf(P), Log + 1);
  }
}

/// Three nested loops, as compilers write them.
void multiply(Program &P, unsigned N) {
  const CellRef I = x(0), J = x(1), K = x(2), Sum = x(3), A = x(4), B = x(5);
  auto Load = [&](CellRef To, CellRef Row, CellRef Column) {
    return P.code({{{To}, {}, {Row, Column}, {0, 8}, {}, Effect::Copy, To}});
  };
  unsigned ZeroI = P.mov(I), ZeroJ = P.mov(J), ZeroK = P.mov(K),
           ZeroSum = P.mov(Sum), LoadA = Load(A, I, K), LoadB = Load(B, K, J),
           Multiply = P.op(A, {A, B}), Add = P.op(Sum, {Sum, A}),
           Store = P.code({{{}, {Sum}, {I, J}, {}, {0, 8}, Effect::Copy, Sum}});
  struct Loop {
    unsigned Next, Compare, Branch;
  };
  auto Count = [&](CellRef R) {
    return Loop{P.addConstant(R, R), P.cmp(R), P.branch()};
  };
  Loop LoopK = Count(K), LoopJ = Count(J), LoopI = Count(I);
  auto Close = [&](const Loop &L) {
    P.run(L.Next);
    P.run(L.Compare);
    P.run(L.Branch);
  };
  P.run(ZeroI);
  for (unsigned Row = 0; Row < N; ++Row) {
    P.run(ZeroJ);
    for (unsigned Column = 0; Column < N; ++Column) {
      P.run(ZeroK);
      P.run(ZeroSum);
      for (unsigned C = 0; C < N; ++C) {
        P.run(LoadA, {{0x100000 + 8 * (Row * N + C), 8}});
        P.run(LoadB, {{0x200000 + 8 * (C * N + Column), 8}});
        P.run(Multiply);
        P.run(Add);
        Close(LoopK);
      }
      P.run(Store, {}, {{0x300000 + 8 * (Row * N + Column), 8}});
      Close(LoopJ);
    }
    Close(LoopI);
  }
}

/// Differences of neighbours.
std::vector<int64_t> differences(const std::vector<int64_t> &Of) {
  std::vector<int64_t> D;
  for (size_t K = 1; K < Of.size(); ++K)
    D.push_back(Of[K] - Of[K - 1]);
  return D;
}

TEST(Laws, MatrixProduct) {
  std::vector<int64_t> None, Exact, Call;
  for (unsigned N : {4u, 5u, 6u, 7u, 8u}) {
    Program P;
    multiply(P, N);
    None.push_back(int64_t(pathOf(P)));
    Exact.push_back(int64_t(pathOf(P, ControlMode::Exact)));
    Call.push_back(int64_t(pathOf(P, ControlMode::Call)));
    // The row's number, then a sum.
    EXPECT_EQ(None.back(), 2 * N + 3);
  }
  // Branches of each loop decide over its next round, one after the other: add,
  // compare, branch. They do not decide over what comes behind the loop.
  EXPECT_EQ(differences(Exact), std::vector<int64_t>(4, 9));
  // Every branch decides over all that follows.
  EXPECT_EQ(differences(differences(differences(Call))),
            std::vector<int64_t>(2, 18));
}

} // namespace
