//===- LocalPlaces.h - Where local variables are ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_LOCALPLACES_H
#define REWIND_COMMANDS_SUPPORT_LOCALPLACES_H

#include "commands/support/DebugInfo.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFExpression.h"

#include "llvm/DebugInfo/DWARF/LowLevel/DWARFUnwindTable.h" // needs the above

namespace rw {

/// The function that a place in the code is in, and its blocks there.
struct LocalScopes {
  llvm::DWARFDie Function; ///< none: it is in no function
  /// What is visible, the innermost block first: nothing of the function that
  /// another is inlined in.
  std::vector<llvm::DWARFDie> Blocks;
  /// An inlined function begins there, and nobody asked for a certain one: a
  /// debugger may still show the one that it is inlined in.
  bool BeginsInlined = false;
};
/// \p PC as in the file, here and below. Of the frame that is \p Inlined calls
/// deep in the function; without, of the innermost one.
LocalScopes localScopes(DebugInfo &Dwarf, uint64_t PC,
                        std::optional<unsigned> Inlined = std::nullopt);

/// The variable or parameter \p Name that \p Scopes see; none if there is none,
/// or if it is not sure that this is what is meant.
llvm::DWARFDie findLocal(const LocalScopes &Scopes, llvm::StringRef Name);

/// Where a variable is whenever a place in the code is reached, but for the
/// value of a register there.
struct LocalPlace {
  unsigned Register = 0; ///< DWARF's number
  int64_t Offset = 0;    ///< from what the register has
  bool Held = false;     ///< it is not in memory: the register has the value
};
/// Nothing if it is not as simple as that.
std::optional<LocalPlace> localPlace(DebugInfo &Dwarf, uint64_t PC,
                                     llvm::DWARFDie Variable,
                                     llvm::DWARFDie Function);

/// How the frame at \p PC is found, as .debug_frame or else .eh_frame tell;
/// none if they do not.
llvm::Expected<std::optional<llvm::dwarf::UnwindLocation>>
frameRule(llvm::DWARFContext &Dwarf, uint64_t PC);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_LOCALPLACES_H
