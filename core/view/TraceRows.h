//===- TraceRows.h - The trace as rows, calls folded ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row is an instruction that no fold hides. The rows of a thread are walked
// from any of them, forwards and backwards; nothing is counted or kept, so
// folding everything costs nothing.
//
// An activation can be folded if it returned, and there is a row for it to
// vanish behind: if it began after the thread did. Its row is the last one
// before it: usually the call.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_VIEW_TRACEROWS_H
#define REWIND_VIEW_TRACEROWS_H

#include "core/view/Folds.h"

namespace rw {

struct TraceRow {
  Position At = 0;
  Position Next = 0;  ///< the row after it; the thread's end if it is the last
  uint32_t Depth = 0; ///< of the activation that it belongs to
  /// What is hidden behind it: [At + 1, Next).
  uint64_t hidden() const { return Next - At - 1; }
  /// An activation that begins behind it and is not folded: the one that
  /// "fold" at this row means.
  std::optional<uint64_t> Opens;
};

/// What a user can do to the folds from a position: the keys of the Tarmac
/// Trace Utilities.
enum class FoldAction : uint8_t {
  Containing,   ///< "-": fold the call that the position is in
  Unfold,       ///< "+": show what is hidden here, calls in it as they were
  UnfoldWhole,  ///< the same, and everything in it
  Callees,      ///< "[": fold all that the containing call calls
  UnfoldInside, ///< "]": show everything in the containing call
  All,          ///< "{"
  UnfoldAll,    ///< "}"
};

/// The rows of one thread. Every query is O(log n) for each fold that is
/// skipped and for each level of calls. An Error: the index is damaged.
class TraceRows {
public:
  /// \p Calls may be null: then there is nothing to fold. Both must stay.
  TraceRows(const CallIndex *Calls, const Folds &Hidden, ThreadIndex T,
            uint64_t NumInstructions)
      : Calls(Calls), Hidden(Hidden), T(T), Size(NumInstructions) {}

  /// Whether a fold hides the instruction.
  llvm::Expected<bool> isHidden(Position P) const;
  /// The first row at or after \p P; the thread's end if there is none.
  llvm::Expected<Position> rowFrom(Position P) const;
  /// The last row before \p P.
  llvm::Expected<std::optional<Position>> rowBefore(Position P) const;
  /// The row that shows \p P: itself, or the one that it is hidden behind.
  llvm::Expected<Position> rowOf(Position P) const;
  /// The row at \p P, which must be one.
  llvm::Expected<TraceRow> row(Position P) const;
  /// Up to \p Before rows before \p P and \p After from it on, in order.
  llvm::Expected<std::vector<TraceRow>> around(Position P, uint64_t Before,
                                               uint64_t After) const;

  /// Folds or unfolds in \p To, a copy of the folds of these rows, and tells
  /// where that leaves the position.
  llvm::Expected<Position> fold(Folds &To, Position P, FoldAction Action) const;

private:
  /// The outermost folded activation at \p P.
  llvm::Expected<std::optional<Activation>> foldAt(Position P) const;
  /// The innermost activation at \p P that can be folded.
  llvm::Expected<std::optional<Activation>> foldableAt(Position P) const;

  const CallIndex *Calls;
  const Folds &Hidden;
  ThreadIndex T;
  uint64_t Size;
};

} // namespace rw

#endif // REWIND_VIEW_TRACEROWS_H
