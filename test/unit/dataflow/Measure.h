//===- Measure.h - Runs the engines on a hand-made execution ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_DATAFLOW_MEASURE_H
#define REWIND_TEST_UNIT_DATAFLOW_MEASURE_H

#include "Model.h"
#include "Programs.h"
#include "core/dataflow/StaticTimes.h"

namespace rw::dataflow {

/// What the engines tell of it.
struct Measured {
  uint64_t Length = 0, Work = 0;
  std::vector<uint64_t> ByThread;
  struct Node {
    Moment When;
    uint64_t T;         ///< atomic: in its activation
    uint32_t After = 0; ///< traced: the node that it waited for
  };
  uint32_t Last = 0;       ///< traced: the node that ends last
  std::vector<Node> Nodes; ///< atomic: without calls
  /// Atomic: start and length of calls, in the order in which they end.
  std::vector<std::pair<uint64_t, uint64_t>> Calls;
};

/// \p Flow: null: that of the program. \p Limit: of closed activations.
/// \p Start: null: nothing came before.
Measured measure(const Program &P, const ModelOptions &O,
                 const ControlFlow *Flow = nullptr, size_t Limit = 0,
                 bool Traced = false, const EngineStart *Start = nullptr);

} // namespace rw::dataflow

#endif // REWIND_TEST_UNIT_DATAFLOW_MEASURE_H
