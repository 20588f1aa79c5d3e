//===- StateCursor.h - Instructions and state, mostly ascending -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STATECURSOR_H
#define REWIND_STORE_STATECURSOR_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// A cursor for listings, which ask about one moment after the other: the
/// instruction, and registers and memory before and after it. It answers as the
/// store does, any moment in any order; what is asked in ascending order
/// decodes each block once, all else decodes a block from its beginning. Not
/// thread-safe; it must not outlive the store.
class StateCursor : public InstructionCursor {
public:
  static std::unique_ptr<StateCursor> open(const TraceStore &Store);
  /// Tells readRegister() and placeAt(), twice as fast; what else it is asked
  /// for makes it as open().
  static std::unique_ptr<StateCursor> openRegisters(const TraceStore &Store);
  /// Tells at(), next() and their kin, without effects, several times as fast;
  /// it has no registers and no memory to be asked for.
  static std::unique_ptr<StateCursor> openPlaces(const TraceStore &Store);

  /// As TraceStore::instruction(); valid until the next call.
  virtual llvm::Expected<const Instruction *> at(Moment M) = 0;
  /// As the one above, without effects: Regs and Mems are of no instruction.
  virtual llvm::Expected<const Instruction *> placeAt(Moment M) = 0;

  /// What \p Slice of a register of \p T held before \p M (which may be the
  /// moment behind the last instruction). As RegisterState::read(): \p Known
  /// gets a 0 or 1 for each of the Slice.Size bytes, those that are not known
  /// are left alone in \p Bytes.
  virtual llvm::Error readRegister(ThreadIndex T, Moment M, RegisterSlice Slice,
                                   llvm::MutableArrayRef<uint8_t> Bytes,
                                   llvm::MutableArrayRef<uint8_t> Known) = 0;
  /// What memory held before \p M, as TraceStore::memoryAt() tells: of 8 bytes,
  /// a search for each block.
  virtual llvm::Error readMemory(Moment M, uint64_t Addr,
                                 llvm::MutableArrayRef<uint8_t> Bytes,
                                 llvm::MutableArrayRef<uint8_t> Known) = 0;
  /// The first access to a byte of memory from \p Addr on at or after \p From,
  /// as TraceStore::nextAccess(); none if there is none. \p Bytes, whose number
  /// says how many these are, and \p Known get what readMemory() tells of that
  /// moment; at() of it and readMemory() behind it then decode nothing.
  virtual llvm::Expected<std::optional<Moment>>
  nextAccess(uint64_t Addr, AccessKind Kind, Moment From,
             llvm::MutableArrayRef<uint8_t> Bytes,
             llvm::MutableArrayRef<uint8_t> Known) = 0;
  /// The value as a number; none unless all bytes, at most 8, are known.
  llvm::Expected<std::optional<uint64_t>> getRegister(ThreadIndex T, Moment M,
                                                      RegisterSlice Slice);
};

} // namespace rw

#endif // REWIND_STORE_STATECURSOR_H
