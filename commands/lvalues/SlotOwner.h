//===- SlotOwner.h - Whose a place of a variable is -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of a stack, and registers, are variables of one call after the
// other. A question about a local variable means those of one activation.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_SLOTOWNER_H
#define REWIND_COMMANDS_LVALUES_SLOTOWNER_H

#include "commands/support/Listing.h"
#include "core/calls/CallIndex.h"
#include "core/store/StateCursor.h"

namespace rw {

struct SlotOwner {
  Activation Of;
  uint64_t PC = 0; ///< where it is at the moment that was asked about
  Span Life; ///< its instructions, callees included, and those of other threads
  std::shared_ptr<const CallIndex> Calls; ///< that knows it
  /// Tells what it executes; null of a variable that is there in all its code.
  std::shared_ptr<StateCursor> Code;
};

/// The activation on the stack at \p At in whose frame the variable \p L lies,
/// or which runs there if a register has it. Empty for what is no variable (an
/// address or a register that the user named), what is on no stack, and where
/// the trace does not tell: a frame that was there before it, stack pointers
/// that are not known. O(log of the depth).
llvm::Expected<std::optional<SlotOwner>> ownerOf(const Session &S, Place At,
                                                 const Location &L);

/// Whether what is at \p L after the instruction at \p When, which wrote it,
/// may be the owner's: a register that a function it calls writes, for a while,
/// is that function's. A variable that is there in some of its function's code
/// only (Location::Lives) has what was written while it was there; one in a
/// register also what it finds there. O(log n), and in that case what is
/// executed until the next write.
llvm::Expected<bool> isOwn(const Session &S, const SlotOwner &Owner,
                           const Location &L, Moment When);
/// Whether the variable is at \p L before the instruction at \p When.
llvm::Expected<bool> isThere(const Session &S, const SlotOwner &Owner,
                             const Location &L, Moment When);

/// "take_orders, which ran from #12 to #345".
std::string describe(const Session &S, const SlotOwner &Owner);
/// ": before and after, what is there is others'": when \p L is not the
/// owner's.
std::string whenOthers(const Location &L);
/// {"function":, "thread":, "from":, "to":}: positions.
llvm::json::Object toJson(const Session &S, const SlotOwner &Owner);

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_SLOTOWNER_H
