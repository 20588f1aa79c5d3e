//===- Model.h - Dependences, slowly and plainly ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The definitions of docs/dataflow.md as a graph with explicit edges, O(n^2),
// and memory byte by byte. The engines must tell the same.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_UNIT_DATAFLOW_MODEL_H
#define REWIND_TEST_UNIT_DATAFLOW_MODEL_H

#include "core/dataflow/Times.h"
#include <list>
#include <map>
#include <set>

namespace rw::dataflow {

enum class CallMode { None, Fine, Atomic, Static };

struct ModelOptions {
  CallMode Calls = CallMode::Fine;
  ControlMode Control = ControlMode::None;
  StorageModes Modes;
  bool Suppress = true;
  Latencies Latency;
  unsigned Threads = 1;
  std::vector<CellRef> StackPointers;
  /// Only what is done from this step on counts; what was before tells which
  /// registers and places have to do with calls.
  int From = 0;
};

/// Why one node depends on another.
enum class Why { Data, Control, Structure, Order };

class Model {
public:
  /// \p Steps must stay.
  Model(llvm::ArrayRef<Step> Steps, const ModelOptions &O);

  struct Node {
    int Step = -1; ///< -1: a call or return that no instruction stands for
    int Activation = 0;
    uint32_t Latency = 0;
    uint64_t T = 0;
    uint64_t end() const { return T + Latency; }
  };
  struct Activation {
    int Parent = -1, Call = -1, Return = -1; ///< nodes
    int Before = -1;                         ///< the step before it
    unsigned Thread = 0;
    bool RealCall = false;
  };
  /// In the order in which the engine finishes them.
  std::vector<Node> Nodes;
  std::vector<Activation> Activations;
  /// From, to; ascending in `to`.
  struct Edge {
    int From, To;
    Why Reason;
    Range Over = {}; ///< of memory that is written anew: where the store goes
  };
  std::vector<Edge> Edges;
  uint64_t Work = 0;

  uint64_t length(unsigned Thread) const;
  uint64_t length() const;
  /// Nodes of a step.
  std::vector<int> nodesOf(int Step) const;

private:
  void build();
  void addControl();
  void addStructure();
  void mapToAncestors();
  void closeStatically();
  void measure();

  struct Written {
    int By = -1; ///< node
    std::vector<int> Readers;
    int Step = -1;
    int Tag = 0; ///< 1: frame, 2: return address
  };
  struct Slot {
    bool Return = false, Confirmed = false;
    Range Where;
    int Thread = 0, Activation = 0;
    CellRef Cells;
    std::vector<Written> Was;
    int Store = -1;
  };
  void undo(Slot &S);
  void forget();

  const llvm::ArrayRef<Step> Steps;
  const ModelOptions O;
  std::list<Slot> Slots;
  std::vector<std::vector<int>> StepNodes;
  std::vector<int> BranchNodes;         ///< ascending
  std::vector<std::vector<int>> OpenAt; ///< by step: its activations
  std::vector<std::pair<int, int>> VirtualReturns;
};

} // namespace rw::dataflow

#endif // REWIND_TEST_UNIT_DATAFLOW_MODEL_H
