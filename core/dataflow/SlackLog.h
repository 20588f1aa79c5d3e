//===- SlackLog.h - All dependences, to be read backwards -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_SLACKLOG_H
#define REWIND_DATAFLOW_SLACKLOG_H

#include "core/model/Types.h"
#include "core/support/Coding.h"
#include "core/support/Temporary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace rw::dataflow {

/// What happened while times were measured (Times.h), in order, each node with
/// all nodes that it depends on. Written once, in compressed blocks to a
/// temporary file, then read once from the end: memory is that of two blocks.
class SlackLog {
public:
  enum Kind : uint8_t {
    Node,
    Join,  ///< no instruction: as late as the latest that it depends on
    Later, ///< Number, a node of before, depends on more, and starts at Start
    Enter, ///< an activation begins
    Leave, ///< the innermost one ends
  };
  struct Record {
    Kind What = Node;
    bool NewStep = false; ///< the first node of its instruction
    bool Branch = false;
    bool Returns = false; ///< Leave: as a return does, which the last node is
    ThreadIndex Thread = 0;
    Moment When = 0;
    uint32_t Static = 0, Latency = 1;
    uint32_t Number = 0; ///< nodes and joins together, from 1 on
    uint64_t Start = 0;
    llvm::ArrayRef<uint32_t> After; ///< numbers of nodes and joins
  };

  /// \p BlockBytes: of a block before it is compressed.
  explicit SlackLog(size_t BlockBytes = 1 << 18);
  ~SlackLog();
  /// Numbers of nodes and joins must count on. The latest of After comes first.
  /// Some bytes, before they are compressed.
  void add(const Record &R);
  /// Calls \p F with each record, the last one first, and ends the log. The
  /// record is valid until F returns, which may fail.
  llvm::Error readBackwards(llvm::function_ref<llvm::Error(const Record &)> F);

  /// Size of the temporary file. What is not written yet does not count.
  uint64_t bytes() const { return Written; }

private:
  struct Block {
    uint32_t First; ///< number of its first node or join
    uint64_t Offset;
    size_t Packed, Plain; ///< bytes
  };
  struct Context; ///< what records are told by the ones before
  void flush();

  const size_t BlockBytes;
  ScratchFile File;
  Bytes Out;
  std::unique_ptr<Context> Last;
  uint64_t Written = 0;
  std::vector<Block> Blocks;
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_SLACKLOG_H
