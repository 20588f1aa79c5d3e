//===- WorkedExamplesTest.cpp - What docs/dataflow.md works out -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::dataflow;

namespace {

/// The length of the path, by the engine and by the model.
uint64_t length(const Program &P, const ModelOptions &O) {
  uint64_t Length = measure(P, O).Length;
  EXPECT_EQ(Model(P.Steps, O).length(), Length);
  return Length;
}

ModelOptions options(CallMode Calls, ControlMode Control = ControlMode::None,
                     bool Suppress = true) {
  ModelOptions O;
  O.Calls = Calls;
  O.Control = Control;
  O.Suppress = Suppress;
  return O;
}

/// Start times of all nodes, by step: the model's, which the engine is compared
/// with elsewhere.
uint64_t start(const Program &P, const ModelOptions &O, int Step) {
  Model M(P.Steps, O);
  return M.Nodes[M.nodesOf(Step)[0]].T;
}

// 1. Accesses of parts of words.
TEST(WorkedExamples, Subwords) {
  Program P;
  unsigned Store4 = P.store(x(0), x(1), 4), Store1 = P.store(x(0), x(1), 1),
           Store2 = P.store(x(0), x(1), 2), Store8 = P.store(x(0), x(1), 8),
           Load4 = P.load(x(2), x(1), 4), Load1 = P.load(x(2), x(1), 1),
           Load2 = P.load(x(2), x(1), 2);
  P.run(Store4, {}, {{0x1000, 4}});
  P.run(Store1, {}, {{0x1001, 1}});
  P.run(Store2, {}, {{0x1002, 2}});
  P.run(Load4, {{0x1000, 4}});
  P.run(Load1, {{0x1004 - 1, 1}});
  P.run(Load2, {{0x1000, 2}});
  P.run(Load4, {{0x0ffe, 4}});
  P.run(Store8, {}, {{0x1000, 8}});
  P.run(Load4, {{0x0ffc, 4}});
  auto Into = [&](int Step, StorageModes Modes) {
    ModelOptions O = options(CallMode::None);
    O.Modes = Modes;
    Model M(P.Steps, O);
    std::set<int> From;
    for (const Model::Edge &E : M.Edges)
      if (M.Nodes[E.To].Step == Step)
        From.insert(M.Nodes[E.From].Step);
    return From;
  };
  StorageModes Raw, War{4, 0}, Waw{0, 4};
  EXPECT_EQ(Into(3, Raw), (std::set<int>{0, 1, 2}));
  EXPECT_EQ(Into(4, Raw), (std::set<int>{2}));
  EXPECT_EQ(Into(5, Raw), (std::set<int>{0, 1}));
  EXPECT_EQ(Into(6, Raw), (std::set<int>{0, 1}));
  EXPECT_EQ(Into(7, Waw), (std::set<int>{0, 1, 2}));
  EXPECT_EQ(Into(7, War), (std::set<int>{3, 4, 5, 6}));
  EXPECT_EQ(Into(8, Raw), (std::set<int>{}));
  for (StorageModes Modes : {Raw, War, Waw, StorageModes::memory()}) {
    ModelOptions O = options(CallMode::Fine);
    O.Modes = Modes;
    length(P, O);
  }
}

// 2. A register saved and restored.
TEST(WorkedExamples, SaveRestore) {
  Program P;
  Range Slot{0x8000, 8};
  P.run(P.mov(x(19)));
  P.enter(P.call());
  P.run(P.store(x(19), SP), {}, {Slot});
  P.run(P.move(x(19), x(0)));
  P.run(P.op(x(0), {x(19)}));
  P.run(P.load(x(19), SP), {Slot});
  P.leave(P.ret());
  P.run(P.op(x(1), {x(19)}));
  ModelOptions Raw = options(CallMode::Atomic, ControlMode::None, false),
               Suppressed = options(CallMode::Atomic);
  EXPECT_EQ(length(P, Raw), 6u);
  EXPECT_EQ(start(P, Raw, 7), 5u);
  EXPECT_EQ(length(P, Suppressed), 4u);
  EXPECT_EQ(start(P, Suppressed, 7), 1u);
}

// 3. Control and calls.
TEST(WorkedExamples, ControlAndCalls) {
  Program P;
  unsigned Cmp0 = P.cmp(x(0)), Beq = P.branch(), Call = P.call(),
           Mov5 = P.mov(x(5)), Cmp5 = P.cmp(x(5)), Bne = P.branch(),
           Mov6 = P.mov(x(6)), Ret = P.ret(), Mov3 = P.mov(x(3)),
           Cmp3 = P.cmp(x(3)), Blt = P.branch(), Mov4 = P.mov(x(4)),
           Nop = P.code({}), Starts = P.call(), StartsOther = P.call(),
           Calls = P.call();
  auto Run = [&](Program &To, bool Taken) {
    To.run(Cmp0);
    To.run(Beq);
    if (Taken) {
      To.enter(Call);
      To.run(Mov5);
      To.run(Cmp5);
      To.run(Bne);
      To.run(Mov6);
      To.leave(Ret);
    }
    To.run(Mov3);
    To.run(Cmp3);
    To.run(Blt);
    if (Taken)
      To.run(Mov4);
  };
  Run(P, true);
  // Which ways there are, other executions show: they are not measured.
  ControlFlow Flow;
  {
    std::vector<Step> Measured = std::move(P.Steps);
    P.Steps.clear();
    P.enter(Starts);
    Run(P, true);
    P.run(Nop);
    P.leave(Ret);
    P.enter(StartsOther);
    Run(P, false);
    P.run(Nop);
    P.leave(Ret);
    P.enter(Calls);
    P.run(Mov5);
    P.run(Cmp5);
    P.run(Bne);
    P.leave(Ret);
    for (const Step &S : P.Steps)
      Flow.step(S);
    Flow.finish();
    P.Steps = std::move(Measured);
  }
  struct {
    ControlMode Mode;
    unsigned Calls, None;
  } Expected[] = {{ControlMode::None, 5, 3},
                  {ControlMode::Exact, 8, 4},
                  {ControlMode::Call, 8, 6},
                  {ControlMode::All, 10, 9}};
  for (auto [Mode, WithCalls, Without] : Expected) {
    // No function returns here but f; the return address counts as others.
    ModelOptions O = options(CallMode::Fine, Mode, false);
    EXPECT_EQ(measure(P, O, &Flow).Length, WithCalls) << int(Mode);
    O.Calls = CallMode::None;
    EXPECT_EQ(measure(P, O, &Flow).Length, Without) << int(Mode);
  }
  EXPECT_EQ(start(P, options(CallMode::Fine, ControlMode::Call), 8), 2u);
  EXPECT_EQ(start(P, options(CallMode::Fine, ControlMode::All), 8), 6u);
}

// 4. A frame pointer.
TEST(WorkedExamples, FramePointer) {
  Program P;
  P.run(P.code({{{}, {FP}, {SP}, {}, {0, 8}, Effect::Copy, FP},
                {{}, {LR}, {SP}, {}, {8, 8}, Effect::Copy, LR},
                {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}}),
        {}, {{0x8000, 16}});
  P.run(P.move(FP, SP));
  P.run(P.store(x(0), FP, 4), {}, {{0x801c, 4}});
  P.run(P.load(x(1), SP, 4), {{0x801c, 4}});
  P.run(P.op(x(0), {x(1)}));
  P.run(P.code({{{FP}, {}, {SP}, {0, 8}, {}, Effect::Copy, FP},
                {{LR}, {}, {SP}, {8, 8}, {}, Effect::Copy, LR},
                {{SP}, {SP}, {}, {}, {}, Effect::Writeback, {}}}),
        {{0x8000, 16}}, {});
  P.run(P.ret());
  EXPECT_EQ(length(P, options(CallMode::Fine, ControlMode::None, false)), 5u);
  EXPECT_EQ(length(P, options(CallMode::Fine)), 3u);
}

// 5. Recursion.
TEST(WorkedExamples, Fib) {
  unsigned F[20] = {0, 1};
  for (unsigned N = 2; N < 20; ++N)
    F[N] = F[N - 1] + F[N - 2];
  for (unsigned N = 1; N <= 10; ++N) {
    // Each call has a result of its own, as memory.
    Program P;
    unsigned Call = P.call(), Ret = P.ret();
    Makes Sum;
    Sum.Load = {0, MemoryPart::All};
    Sum.Store = {0, MemoryPart::All};
    unsigned Add = P.code({Sum});
    uint64_t Next = 0x1000;
    std::function<Range(unsigned)> Fib = [&](unsigned N) {
      std::vector<Range> In;
      P.enter(Call);
      if (N >= 2) {
        In.push_back(Fib(N - 1));
        In.push_back(Fib(N - 2));
      }
      Range Out{Next, 8};
      Next += 16;
      P.run(Add, In, {Out});
      P.leave(Ret);
      return Out;
    };
    Fib(N);
    EXPECT_EQ(measure(P, options(CallMode::Fine)).Work, 6 * F[N + 1] - 3);
    EXPECT_EQ(length(P, options(CallMode::Atomic)), 3 * N);
    EXPECT_EQ(length(P, options(CallMode::Fine)), 2 * N + 1);
  }
}

// 6. Storage.
TEST(WorkedExamples, Storage) {
  Program P;
  unsigned Call = P.call(), Mov = P.mov(x(0)), Store = P.store(x(0), x(5)),
           Load = P.load(x(1), x(5)), Ret = P.ret();
  for (unsigned N = 0; N < 3; ++N) {
    P.enter(Call);
    P.run(Mov);
    P.run(Store, {}, {{0x1000, 8}});
    P.run(Load, {{0x1000, 8}});
    P.leave(Ret);
  }
  StorageModes War{4, 0}, Waw{0, 4}, Both{4, 4};
  ModelOptions Fine = options(CallMode::Fine),
               Atomic = options(CallMode::Atomic);
  EXPECT_EQ(length(P, Fine), 5u);
  EXPECT_EQ(length(P, Atomic), 5u);
  Fine.Modes = War;
  EXPECT_EQ(length(P, Fine), 9u);
  Fine.Modes = Waw;
  EXPECT_EQ(length(P, Fine), 7u);
  Fine.Modes = Both;
  EXPECT_EQ(length(P, Fine), 9u);
  for (StorageModes Modes : {War, Waw, Both}) {
    Atomic.Modes = Modes;
    EXPECT_EQ(length(P, Atomic), 15u);
  }
}

TEST(WorkedExamples, StaticDependences) {
  Program P;
  unsigned Load = P.load(x(1), x(5)), Mul = P.op(x(1), {x(1)}),
           Store = P.store(x(1), x(5));
  for (unsigned N = 0; N < 5; ++N) {
    // Iteration 4 reads what iteration 0 wrote.
    P.run(Load, {{N == 4 ? 0x2000 : 0x1000 + 8 * N, 8}});
    P.run(Mul);
    P.run(Store, {}, {{0x2000 + 8 * N, 8}});
  }
  EXPECT_EQ(length(P, options(CallMode::Fine)), 6u);
  EXPECT_EQ(length(P, options(CallMode::Static)), 15u);
}

} // namespace
