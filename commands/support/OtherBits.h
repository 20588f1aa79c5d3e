//===- OtherBits.h - Writes of what lies beside a location ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To write a bit-field, all of a word is read and written again, and a trace
// tells all of a vector register when one of its lanes changes. Such a write is
// none of the fields and lanes beside it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_OTHERBITS_H
#define REWIND_COMMANDS_SUPPORT_OTHERBITS_H

#include "commands/support/Location.h"
#include "core/store/StateCursor.h"

namespace rw {

/// Tells writes of other bits than those of a bit-field, and of other lanes of
/// the register that a location is a part of. Asked about one moment after the
/// other it costs what the instructions between them do; to go back costs a
/// block.
class OtherBits {
public:
  /// Both must stay.
  OtherBits(const TraceStore &Store, const Location &L, AccessKind Kind);
  OtherBits(const OtherBits &) = delete;

  /// Whether there can be any; costs nothing.
  bool any() const { return IsField || Whole; }
  /// Whether the write at \p When was one of others: others of what it wrote
  /// changed, and its own did not.
  llvm::Expected<bool> wrote(Moment When);

private:
  struct State {
    llvm::SmallVector<uint8_t, 64> Bytes, Known;
    void resize(size_t Size) {
      Bytes.assign(Size, 0);
      Known.assign(Size, 0);
    }
  };
  llvm::Expected<bool> wroteLanes(Moment When);
  llvm::Expected<bool> wroteField(Moment When);
  uint8_t ownBits(uint64_t Addr) const;

  const TraceStore &Store;
  const Location &L;
  const bool IsField;
  const RegisterInfo *Whole = nullptr; ///< the vector that it is a part of
  /// What was before and after, and what the instruction did; made when they
  /// are needed.
  std::unique_ptr<StateCursor> Near, Told;
};

/// An access may go on at address 0 behind the last address.
bool overlaps(const MemAccess &M, const Location &L);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_OTHERBITS_H
