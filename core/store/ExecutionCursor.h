//===- ExecutionCursor.h - Where instructions accessed memory ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_EXECUTIONCURSOR_H
#define REWIND_STORE_EXECUTIONCURSOR_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// A memory access without its value; pieces are put together as in MemAccess.
struct AccessPlace {
  uint64_t Addr = 0;
  uint32_t Size = 0;
  bool Write = false;
};

/// An executed instruction, without values.
struct Execution {
  Moment When = 0;
  Position Pos = 0; ///< in its thread
  ThreadIndex Thread = 0;
  /// The number of its template: equal for executions of the same instruction
  /// (InsnItem) with effects on the same registers and of the same kind on
  /// memory. Below ExecutionCursor::numTemplates().
  uint32_t Template = 0;
  uint8_t Flags = 0;                        ///< those of InsnItem
  llvm::SmallVector<AccessPlace, 4> Places; ///< if they were asked for
};

/// Some instructions that were executed one after the other.
struct ExecutionRun {
  Moment First = 0;
  ThreadIndex Thread = 0;
  llvm::ArrayRef<uint32_t> Templates; ///< empty: none
};

/// Walks the instructions in order where their values do not matter, which is
/// some times faster than with an InstructionCursor. Not thread-safe; it must
/// not outlive the store.
class ExecutionCursor {
public:
  enum Detail {
    Flow,   ///< which instructions: a few ns each
    Places, ///< and where they accessed memory
  };
  static std::unique_ptr<ExecutionCursor> open(const TraceStore &Store,
                                               Detail Wanted);
  static size_t numTemplates(const TraceStore &Store);
  /// What all executions of a template have in common: no time, no values, no
  /// addresses; lines as they were at one of them. \p Thread: the one that
  /// executed it.
  static Instruction describe(const TraceStore &Store, uint32_t Template,
                              ThreadIndex Thread);
  /// The address of its instruction.
  static uint64_t pc(const TraceStore &Store, uint32_t Template);

  virtual ~ExecutionCursor() = default;
  /// Moves to \p M; the next call of next() yields it.
  virtual void seek(Moment M) = 0;
  /// The instruction at the cursor, then moves on. Null at the end or on damage
  /// (see takeError). The pointer is valid until the next call.
  virtual const Execution *next() = 0;
  /// Several of them at once: as many as the store has in one piece. About
  /// a ns each; only with Flow. Empty at the end or on damage.
  virtual ExecutionRun nextRun() = 0;
  /// What lane \p Lane of the thread of that instruction holds after it, and
  /// which of its bytes are known: of general registers, with Places. Some ns.
  virtual uint64_t lane(unsigned Lane, uint8_t &Known) = 0;
  virtual llvm::Error takeError() = 0;
};

} // namespace rw

#endif // REWIND_STORE_EXECUTIONCURSOR_H
