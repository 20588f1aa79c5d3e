//===- FloatTest.cpp - Floating-point values that follow from others ------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreTestSupport.h"
#include "core/arch/RegisterFile.h"
#include "core/store/FloatOps.h"
#include "core/store/TraceStore.h"
#include <bit>
#include <cmath>

using namespace rw;
using namespace llvm;

namespace {

uint64_t bits(double D) { return std::bit_cast<uint64_t>(D); }
uint64_t bits(float Low, float High) {
  return uint64_t(std::bit_cast<uint32_t>(High)) << 32 |
         std::bit_cast<uint32_t>(Low);
}

/// y[i] = fma(a, x[i], y[i]) for vectors of two, over and over, with other code
/// that changes memory now and then behind the vectors' back.
struct Axpy {
  static constexpr unsigned Elements = 64;
  static constexpr uint64_t X = 0x10000, Y = 0x20004; // y is not aligned
  std::vector<double> Xs, Ys;
  std::vector<ItemBatch> Batches;
  uint64_t NumInsns = 0;

  explicit Axpy(uint64_t Seed, unsigned Rounds) {
    Rng R(Seed);
    for (unsigned I = 0; I < Elements; ++I) {
      Xs.push_back(double(R.next()) / 3e17);
      Ys.push_back(double(R.next()) / 7e17);
    }
    ItemBatch B;
    const double Factor = 1.0 / 3;
    // The array is written, x0 points to x and x1 to y.
    for (unsigned I = 0; I < Elements; ++I) {
      insn(B, 0x100);
      mem(B, X + 8 * I, bits(Xs[I]), true);
      insn(B, 0x104);
      mem(B, Y + 8 * I, bits(Ys[I]), true);
    }
    insn(B, 0x108);
    reg(B, arm::V0 + 4, bits(Factor));
    reg(B, arm::V0 + 5, bits(Factor));
    for (unsigned Round = 0; Round < Rounds; ++Round) {
      for (unsigned I = 0; I < Elements; I += 2) {
        insn(B, 0x200);
        reg(B, 0, X + 8 * I);
        insn(B, 0x204);
        reg(B, 1, Y + 8 * I);
        insn(B, 0x208); // ldr q0, [x0]
        mem(B, X + 8 * I, bits(Xs[I]), false);
        mem(B, X + 8 * I + 8, bits(Xs[I + 1]), false);
        reg(B, arm::V0, bits(Xs[I]));
        reg(B, arm::V0 + 1, bits(Xs[I + 1]));
        insn(B, 0x20c); // ldr q1, [x1]
        mem(B, Y + 8 * I, bits(Ys[I]), false);
        mem(B, Y + 8 * I + 8, bits(Ys[I + 1]), false);
        reg(B, arm::V0 + 2, bits(Ys[I]));
        reg(B, arm::V0 + 3, bits(Ys[I + 1]));
        for (unsigned K = 0; K < 2; ++K)
          Ys[I + K] = std::fma(Factor, Xs[I + K], Ys[I + K]);
        // A result that is not the sum now and then, and one that is no number.
        if (R.chance(0.02))
          Ys[I] = double(R.next());
        if (R.chance(0.01))
          Ys[I + 1] = std::nan("");
        insn(B, 0x210); // fmla v1.2d, v0.2d, v2.2d
        reg(B, arm::V0 + 2, bits(Ys[I]));
        reg(B, arm::V0 + 3, bits(Ys[I + 1]));
        insn(B, 0x214); // str q1, [x1]
        mem(B, Y + 8 * I, bits(Ys[I]), true);
        mem(B, Y + 8 * I + 8, bits(Ys[I + 1]), true);
        // A read that tells something else than was known, and single bytes.
        if (R.chance(0.05)) {
          unsigned J = unsigned(R.below(Elements));
          Xs[J] = double(R.next()) / 5;
          insn(B, 0x300);
          mem(B, X + 8 * J, bits(Xs[J]), R.chance(0.5));
        }
        if (R.chance(0.05)) {
          unsigned J = unsigned(R.below(Elements)), K = unsigned(R.below(8));
          uint64_t V = bits(Ys[J]) ^ uint64_t(1) << (8 * K);
          Ys[J] = std::bit_cast<double>(V);
          insn(B, 0x304);
          mem(B, Y + 8 * J + K, V >> (8 * K) & 0xff, true, 1);
        }
      }
      Batches.push_back(std::move(B));
      B = {};
    }
  }

  void insn(ItemBatch &B, uint64_t PC) {
    InsnItem I;
    I.PC = PC;
    I.Size = 4;
    I.Isa = ISA::A64;
    I.Opcode = PC;
    I.Flags = InsnItem::Executed | InsnItem::OpcodeKnown;
    B.Insns.push_back(I);
    ++NumInsns;
  }
  void mem(ItemBatch &B, uint64_t Addr, uint64_t Value, bool Write,
           uint8_t Size = 8) {
    MemItem M;
    M.Addr = Addr;
    M.Value = Value;
    M.Real = ~uint64_t(0);
    M.Size = Size;
    M.Known = uint8_t((1u << Size) - 1);
    M.Flags = Write ? MemItem::Write : 0;
    if (B.Insns.back().NumMems && Size == 8)
      M.Flags |= MemItem::Joined;
    B.Mems.push_back(M);
    ++B.Insns.back().NumMems;
  }
  void reg(ItemBatch &B, unsigned Lane, uint64_t Value) {
    RegItem R;
    R.Lane = uint16_t(Lane);
    R.Value = Value;
    R.Written = 0xff;
    B.Regs.push_back(R);
    ++B.Insns.back().NumRegs;
  }

  Error feed(TraceSink &Sink) const {
    for (ItemBatch B : Batches)
      if (Error E = Sink.consume(B))
        return E;
    TraceHeader H;
    H.Format = "made up";
    H.Architecture = Arch::AArch64;
    H.Threads.push_back({"", 1});
    H.Can.Registers = H.Can.MemAddresses = H.Can.MemValues = true;
    return Sink.finish(H);
  }
};

class Floats : public StoreTest {};

TEST_F(Floats, AnswerAsTheModelAndCostNothing) {
  for (uint64_t Seed = 0; Seed < 3; ++Seed) {
    Axpy T(Seed, 60);
    NaiveModel Model;
    cantFail(T.feed(Model));
    auto B = builder(path("store"));
    ASSERT_TRUE(B);
    cantFail(T.feed(*B));
    auto Store = open(path("store"));
    ASSERT_TRUE(Store);
    StoreCheck Check(*Store, Model, Seed);
    std::string Difference = Check.wholeTrace();
    if (Difference.empty())
      Difference = Check.walk(0, T.NumInsns + 1, false);
    if (Difference.empty())
      Difference = Check.randomQuestions(3000);
    ASSERT_EQ(Difference, "") << "seed " << Seed;
    uint64_t Size = 0;
    ASSERT_FALSE(sys::fs::file_size(path("store"), Size));
    // A third of the instructions write 16 bytes of noise.
    EXPECT_LT(Size, T.NumInsns * 4);
  }
}

TEST_F(Floats, GeneralRegistersDoNotNeedThem) {
  Axpy T(7, 30);
  NaiveModel Model;
  cantFail(T.feed(Model));
  auto B = builder(path("store"));
  ASSERT_TRUE(B);
  cantFail(T.feed(*B));
  auto Store = open(path("store"));
  ASSERT_TRUE(Store);
  unsigned Hidden = 0;
  for (Moment M = 0; M <= T.NumInsns; M += 7) {
    auto General = Store->registersAt(0, M, TraceStore::RegisterSet::General);
    auto All = Store->registersAt(0, M);
    ASSERT_TRUE(bool(General) && bool(All));
    for (unsigned L = 0; L < All->Value.size(); ++L)
      if (General->Known[L]) {
        EXPECT_EQ(General->Value[L], All->Value[L]) << M << " lane " << L;
        EXPECT_EQ(General->Known[L], All->Known[L]);
      } else if (All->Known[L]) {
        EXPECT_GE(L, unsigned(arm::V0)) << M;
        ++Hidden;
      }
  }
  EXPECT_GT(Hidden, 100u);
}

/// The learner finds what it is shown, whatever else is in the registers.
TEST(FloatLearner, FindsOperations) {
  Rng R(1);
  for (unsigned Round = 0; Round < 40; ++Round) {
    FloatOp Op;
    Op.What = uint8_t(R.below(FloatOp::NumKinds));
    Op.Size = Op.What >= FloatOp::FromInt32 ? uint8_t(FloatOp::Double)
                                            : uint8_t(R.below(2));
    // Vectors: all operands from the same half.
    Op.A = uint8_t(40 + 2 * R.below(8));
    Op.B = uint8_t(40 + 2 * R.below(8));
    Op.C = uint8_t(40 + 2 * R.below(8));
    if (Op.What >= FloatOp::FromInt32)
      Op.A = uint8_t(R.below(30));
    FloatLearner L;
    unsigned Searches = 100;
    for (unsigned K = 0; K < 20; ++K) {
      std::vector<uint64_t> Lanes(104);
      for (unsigned I = 0; I < 30; ++I)
        Lanes[I] = R.next() >> R.below(60);
      for (unsigned I = 40; I < 60; ++I)
        Lanes[I] = Op.Size == FloatOp::Double
                       ? bits(double(R.next() >> 8) * 1e-15)
                       : bits(float(R.next() >> 40) * 1e-5f,
                              float(R.next() >> 40) * 1e-5f);
      auto V = Op.evaluate(Lanes.data());
      ASSERT_TRUE(V);
      L.observe(*V, 40 + 2 * unsigned(R.below(8)), Lanes.data(), 40, 104,
                Searches);
      if (K > 3) {
        ASSERT_GT(L.hits(), 1u) << Round << ": " << unsigned(Op.What);
        EXPECT_EQ(L.best().evaluate(Lanes.data()), V);
      }
    }
    EXPECT_GT(L.hits(), 15u);
  }
}

TEST(FloatOps, NothingIsCertainOfNaNs) {
  uint64_t Lanes[104] = {bits(0.0), bits(INFINITY), bits(std::nan(""))};
  EXPECT_FALSE(
      (FloatOp{FloatOp::Div, FloatOp::Double, 0, 0, 0}.evaluate(Lanes)));
  EXPECT_FALSE(
      (FloatOp{FloatOp::Sub, FloatOp::Double, 1, 1, 0}.evaluate(Lanes)));
  EXPECT_FALSE(
      (FloatOp{FloatOp::Add, FloatOp::Double, 0, 2, 0}.evaluate(Lanes)));
  EXPECT_EQ((FloatOp{FloatOp::Add, FloatOp::Double, 0, 1, 0}.evaluate(Lanes)),
            bits(INFINITY));
}

} // namespace
