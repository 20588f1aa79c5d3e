//===- OriginTree.h - A value followed back to where it was made *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value is followed from where it is back to where it was made: from write to
// write through copies, and, if that is asked for, through what computes it. A
// value that several instructions wrote, or that was computed from several
// others, has a branch for each of these.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_ORIGINTREE_H
#define REWIND_COMMANDS_DATAFLOW_ORIGINTREE_H

#include "commands/dataflow/ValueSource.h"

namespace rw {

/// An instruction on the way.
struct OriginLink {
  Location Where; ///< what it wrote
  Instruction By;
  std::string How; ///< "loaded from [0x1000, 8 bytes]"
  Value What;      ///< the value there after the instruction
};

/// Links of which each leads to one other.
struct OriginBranch {
  std::optional<size_t> Parent; ///< its last link made this; none: the question
  std::string Of; ///< which operand, which bytes of the parent: "w1"
  Location Start;
  Value What;
  std::vector<OriginLink> Links; ///< newest first
  /// How it ends; if there are Branches, why it forks.
  OriginKind End = OriginKind::Unknown;
  std::string Reason; ///< what a person should read about the end
  std::vector<size_t> Branches;
  /// Told: the link that goes on with it.
  struct Elsewhere {
    size_t Branch = 0, Link = 0;
  } Same;
};

struct OriginTree {
  std::vector<OriginBranch> Branches; ///< the first one is the question's
  uint64_t Links = 0;                 ///< of all
  bool Complete = true;               ///< nothing was cut

  /// The branches as they are told: each before those that fork from it.
  std::vector<size_t> order() const;
};

struct OriginOptions {
  enum Mode : uint8_t {
    Copies,  ///< up to what computes it
    Through, ///< through computations whose operand is clear
    Tree,    ///< through all operands of all computations
  } How = Copies;
  /// With Through, operands to follow where it is not clear: "w1", or only in
  /// the instruction at a position "#12:w1".
  std::vector<std::string> Operands;
  uint64_t Limit = ~uint64_t(0); ///< links
};

/// No more bytes are followed at once: each may have a writer of its own.
constexpr uint64_t MostOriginBytes = 4096;

/// Follows the value that \p L has before \p When. Interrupted or at the limit
/// it is what has been found, newest first.
llvm::Expected<OriginTree> followBack(Session &S, const Location &L,
                                      Moment When, const OriginOptions &O);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_ORIGINTREE_H
