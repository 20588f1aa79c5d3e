//===- ControlParentsTest.cpp - Why an instruction was reached ------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/dataflow/ControlParents.h"
#include "Model.h"
#include "Programs.h"
#include "gtest/gtest.h"

using namespace rw;
using namespace rw::dataflow;

/// Going on from parent to parent finds the branches that the model's edges
/// tell, and the calls of all activations: also with longjmps and interrupts.
TEST(ControlParents, LeadToAllThatDecided) {
  std::mt19937_64 Random(5);
  uint64_t Branches = 0, Calls = 0;
  for (int N = 0; N < 400; ++N) {
    const unsigned Threads = N % 4 ? 1 : 2;
    auto P = randomProgram(Random, N % 16 ? 60 : 400, Threads);
    for (ControlMode Mode :
         {ControlMode::Exact, ControlMode::Call, ControlMode::All}) {
      ModelOptions MO;
      MO.Control = Mode;
      MO.Threads = Threads;
      MO.StackPointers = {SP};
      const Model M(P->Steps, MO);
      const size_t Steps = P->Steps.size();
      std::vector<std::set<size_t>> All(Steps);
      for (const Model::Edge &E : M.Edges)
        if (E.Reason == Why::Control) {
          All[M.Nodes[E.To].Step].insert(M.Nodes[E.From].Step);
          ++Branches;
        }
      for (size_t S = 0; S < Steps; ++S) {
        for (int A = M.Nodes[M.nodesOf(int(S)).front()].Activation; A >= 0;
             A = M.Activations[A].Parent)
          if (M.Activations[A].Before >= 0) {
            All[S].insert(M.Activations[A].Before);
            ++Calls;
          }
        for (size_t U : std::set<size_t>(All[S]))
          All[S].insert(All[U].begin(), All[U].end());
      }

      ControlFlow Flow;
      for (const Step &S : P->Steps)
        Flow.step(S);
      Flow.finish();
      ControlParents<size_t> Parents(Mode, &Flow, Threads);
      std::vector<std::set<size_t>> Found(Steps);
      for (size_t S = 0; S < Steps; ++S) {
        if (std::optional<size_t> By = Parents.before(P->Steps[S])) {
          Found[S] = Found[*By];
          Found[S].insert(*By);
        }
        Parents.after(P->Steps[S], S);
        ASSERT_EQ(Found[S], All[S])
            << "program " << N << ", step " << S << ", mode " << int(Mode);
      }
    }
  }
  EXPECT_GT(Branches, 1000u);
  EXPECT_GT(Calls, 1000u);
}
