//===- SliceGraph.h - Slices, slowly and plainly ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each instruction's sources, by walking a recorded trace once: who wrote a
// cell or a byte last, and all branches and calls that it depends on. Explicit
// edges of instructions, by node.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_DATAFLOW_SLICEGRAPH_H
#define REWIND_TEST_UNIT_DATAFLOW_SLICEGRAPH_H

#include "core/dataflow/ForwardSlice.h"
#include <map>
#include <set>

namespace rw::dataflow {

class SliceGraph {
public:
  SliceGraph(const TraceStore &Store, const CallIndex *Calls, StepCodes &Codes,
             ControlMode Control);

  /// The moments of all that the nodes of \p At come from, and its own.
  std::set<Moment> closure(Moment At);
  /// For all before \p To that comes from what the nodes of \p At make, how far
  /// it is: 0 for what reads that. With control the distance is not told.
  std::map<Moment, unsigned> comesFrom(Moment At, Moment To);
  /// What the nodes of \p At make.
  std::vector<DataPlace> made(Moment At) const;

private:
  struct Node {
    Moment When;
    std::vector<size_t> From; ///< of data
    std::vector<DataPlace> Makes;
    bool Keeps = false; ///< what it reads: it may save or restore registers
    /// It stands for where its instruction went on, or what that called.
    bool Flow = false;
  };
  struct Activation {
    int Parent = -1;
    size_t Call = 0;           ///< the flow node of the instruction before it
    std::vector<size_t> Steps; ///< its own
    std::vector<size_t> Branches; ///< their flow nodes
  };
  struct StepOf {
    int Activation;
    uint32_t Static;
    bool Branch;
    ThreadIndex Thread;
    size_t Flow; ///< its flow node
    std::vector<size_t> Nodes;
  };
  std::vector<size_t> control(Moment M);
  void findMeets();

  ControlMode Mode;
  std::vector<Node> Nodes;
  std::vector<StepOf> Steps; ///< by moment
  std::vector<Activation> Activations;
  std::vector<int> Meets; ///< by static number; -1: only at the end
};

} // namespace rw::dataflow

#endif // REWIND_TEST_UNIT_DATAFLOW_SLICEGRAPH_H
