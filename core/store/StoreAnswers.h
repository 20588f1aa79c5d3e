//===- StoreAnswers.h - What a store answers with ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Headers that only pass a store on, or its answers, include this and not
// TraceStore.h: a new question then compiles anew only who asks the store.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STOREANSWERS_H
#define REWIND_STORE_STOREANSWERS_H

#include "core/arch/RegisterFile.h"
#include "core/model/ItemBatch.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace rw {

class TraceStore;

/// The value of a thread's register file at a moment.
struct RegisterState {
  std::vector<uint64_t> Value; ///< per lane
  std::vector<uint8_t> Known;  ///< per lane: mask of known bytes

  /// Bytes of \p S into \p Out (S.Size of them, byte 0 lowest); unknown bytes
  /// are left alone. True if all are known. \p KnownOut, if given, gets one
  /// byte (0 or 1) per byte.
  bool read(RegisterSlice S, uint8_t *Out, uint8_t *KnownOut = nullptr) const;
  /// The register as a number if it has at most 8 bytes, all known.
  std::optional<uint64_t> get(RegisterSlice S) const;
};

/// A memory access as a person sees it: the pieces put together again.
struct MemAccess {
  uint64_t Addr = 0;
  uint64_t Real = ~uint64_t(0);         ///< real address if the trace told it
  uint8_t Flags = 0;                    ///< MemItem flags; Joined is never set
  llvm::SmallVector<uint8_t, 16> Bytes; ///< in memory order; 0 where not known
  llvm::SmallVector<uint8_t, 16> Known; ///< 1 where known
  bool isWrite() const { return Flags & MemItem::Write; }
};

/// One executed instruction and all that it did.
struct Instruction {
  Moment When = 0;
  ThreadIndex Thread = 0;
  Position Pos = 0;
  InsnItem Insn;     ///< NumRegs and NumMems count the lists below
  uint64_t Line = 0; ///< 1-based line in a text trace, else 0
  llvm::SmallVector<RegItem, 4> Regs;
  llvm::SmallVector<MemAccess, 2> Mems;
};

/// An event with its place.
struct StoredEvent {
  Moment Before = 0; ///< it happened before this instruction
  ThreadIndex Thread = 0;
  EventKind Kind = EventKind::Error;
  uint64_t PC = ~uint64_t(0);
  uint64_t Value = 0;
  std::string Text;
};

enum class AccessKind : uint8_t { Read = 1, Write = 2, Any = 3 };

/// Where a byte's value at a moment comes from.
enum class Provenance : uint8_t {
  Unknown,     ///< no one knows
  Write,       ///< written by the instruction Origin
  Read,        ///< seen by the read Origin, at or before the moment: written
               ///< before the trace, or outside it
  LaterRead,   ///< as Read, but seen only after the moment and not changed
               ///< in between
  Semihosting, ///< written by the semihosting call Origin, seen later
};
struct ByteOrigin {
  Provenance From = Provenance::Unknown;
  Moment Origin = BeforeTrace;
};

/// Walks the instructions in order, cheaply (a few ns each where only control
/// flow is asked for). Not thread-safe; it must not outlive the store.
class InstructionCursor {
public:
  virtual ~InstructionCursor() = default;
  /// Moves to \p M; the next call of next() yields it.
  virtual void seek(Moment M) = 0;
  /// The instruction at the cursor, then moves on. Null at the end or on
  /// damage (see takeError). The pointer is valid until the next call. Regs and
  /// Mems are filled only if the cursor was made with effects.
  virtual const Instruction *next() = 0;
  virtual llvm::Error takeError() = 0;
};

} // namespace rw

#endif // REWIND_STORE_STOREANSWERS_H
