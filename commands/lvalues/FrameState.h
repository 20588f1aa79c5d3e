//===- FrameState.h - Where variables are at a place ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates DWARF's location descriptions (DWARF 5, 2.5 and 2.6) in the
// innermost frame of a thread at a moment of the trace.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_FRAMESTATE_H
#define REWIND_COMMANDS_LVALUES_FRAMESTATE_H

#include "commands/lvalues/AddressRecipe.h"
#include "commands/support/Session.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"

namespace rw {

struct PlacePiece;

/// Where a variable is.
struct VariablePlace {
  enum : uint8_t { Memory, Register, Constant, InPieces } Where = Memory;
  uint64_t Addr = 0; ///< of memory, as in the trace
  /// How Addr came about, or the number of a constant; none if not in such
  /// steps.
  std::optional<AddressRecipe> How = {};
  const RegisterInfo *Holder = nullptr;    ///< of a register
  llvm::SmallVector<uint8_t, 16> Bytes;    ///< of a constant, in memory order
  std::vector<PlacePiece> Pieces;          ///< from the first byte on, no gaps
  std::shared_ptr<const CodeRanges> Lives; ///< as Location has it
};

/// Some bytes of a variable.
struct PlacePiece {
  uint64_t Offset = 0, Size = 0;
  std::optional<VariablePlace> At; ///< none: it was optimised away
};

class FrameState {
public:
  /// \p PC is that of the next instruction of the thread, if there is one.
  FrameState(const Session &S, Place At, std::optional<uint64_t> PC,
             llvm::DWARFContext *Dwarf, uint64_t Slide)
      : S(S), At(At), PC(PC), Dwarf(Dwarf), Slide(Slide) {}

  /// Where the variable \p Entry of \p Function (or of none) is; an Error says
  /// why it is nowhere that can be told.
  llvm::Expected<VariablePlace> place(llvm::DWARFDie Entry,
                                      llvm::DWARFDie Function);
  /// In which code the variable is \p There, which place() answered; null: in
  /// all of \p Function.
  std::shared_ptr<const CodeRanges> lives(llvm::DWARFDie Entry,
                                          llvm::DWARFDie Function,
                                          const VariablePlace &There);
  /// Where the member of the object at \p Object is that \p Expr describes, as
  /// DWARF does of a virtual base: by the object's table. UnknownValue: memory
  /// that this depends on is not known.
  llvm::Expected<uint64_t> memberAddress(llvm::ArrayRef<uint8_t> Expr,
                                         llvm::DWARFUnit &Unit,
                                         uint64_t Object);

private:
  /// A number, and how it is found again.
  struct Found {
    uint64_t Number = 0;
    std::optional<AddressRecipe> How = {};
  };
  /// A description of several pieces, or of one place.
  llvm::Expected<VariablePlace> compose(llvm::ArrayRef<uint8_t> Expr,
                                        llvm::DWARFUnit &Unit,
                                        llvm::DWARFDie Function);
  llvm::Expected<VariablePlace> evaluate(llvm::ArrayRef<uint8_t> Expr,
                                         llvm::DWARFUnit &Unit,
                                         llvm::DWARFDie Function,
                                         unsigned Depth,
                                         std::optional<uint64_t> Object = {});
  llvm::Expected<Found> frameBase(llvm::DWARFDie Function, unsigned Depth);
  llvm::Expected<Found> canonicalFrame();
  llvm::Expected<Found> registerValue(uint64_t DwarfNumber);
  /// The value that a register had when \p Function was entered (DWARF 5,
  /// 2.5.1.7): a trace knows it.
  llvm::Expected<uint64_t> entryValue(llvm::ArrayRef<uint8_t> Block,
                                      llvm::DWARFUnit &Unit,
                                      llvm::DWARFDie Function);
  llvm::Expected<const RegisterInfo *> registerOf(uint64_t DwarfNumber) const;
  llvm::Expected<uint64_t> memory(uint64_t Addr, uint64_t Size, bool OfTable);
  /// The one of \p Locations that holds at the pc; null if none does.
  const llvm::DWARFLocationExpression *
  current(const llvm::DWARFLocationExpressionsVector &Locations,
          llvm::DWARFDie Function) const;

  static constexpr llvm::StringLiteral ThreadLocal =
      " is thread_local: each thread has its own, and debug information "
      "does not tell where; give its address";

  const Session &S;
  const Place At;
  const std::optional<uint64_t> PC;
  llvm::DWARFContext *const Dwarf;
  const uint64_t Slide;
  std::optional<RegisterState> Registers;
  /// What was evaluated depends on more than the lowest bits of its operands.
  bool NeedsUpper = false;
  bool SignsLower = false; ///< registers are numbers of 32 bits with a sign
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_FRAMESTATE_H
