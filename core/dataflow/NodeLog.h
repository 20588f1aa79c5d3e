//===- NodeLog.h - Which node each one waited for ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_NODELOG_H
#define REWIND_DATAFLOW_NODELOG_H

#include "core/model/Types.h"
#include "core/support/Temporary.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace rw::dataflow {

/// For each node, in order: its moment, its latency and the node that it waited
/// for. Some 1.5 bytes a node, in a temporary file. Read backwards.
class NodeLog {
public:
  struct Node {
    Moment When = 0;
    uint32_t Latency = 1;
    uint32_t After = 0; ///< number of the node; 0: none
  };

  NodeLog();
  void add(Moment When, uint32_t Latency, uint32_t After);
  /// A node waited for another one than was told.
  void change(uint32_t Number, uint32_t After) { Changed[Number] = After; }
  /// After the last add(); an Error if writing failed.
  llvm::Error finish();
  /// Numbers must not ascend from call to call, or it takes long.
  llvm::Expected<Node> at(uint32_t Number);

private:
  struct Block {
    uint32_t First; ///< number of its first node
    Moment When;    ///< of the node before it
    uint64_t Offset;
  };
  void flush();
  llvm::Error load(size_t Index);

  ScratchFile File;
  std::vector<uint8_t> Bytes; ///< room for the block that is written
  uint8_t *Tail;              ///< where the next node goes
  uint64_t Written = 0;
  uint32_t Count = 0;
  Moment Last = 0;
  std::vector<Block> Blocks;
  size_t Loaded = ~size_t(0);
  std::vector<Node> Nodes; ///< of the block that was loaded
  llvm::DenseMap<uint32_t, uint32_t> Changed;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_NODELOG_H
