//===- EntryBounds.h - Whether entries lie within their unit ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's library takes the lengths in .debug_info as they are: behind a block
// that is longer than the section it reads memory that is none of the file's.
// What is asked for with LLVM is stepped over here first, with all sizes
// checked.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ENTRYBOUNDS_H
#define REWIND_COMMANDS_SUPPORT_ENTRYBOUNDS_H

#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

namespace rw {

/// Which of the entries of \p Unit LLVM cannot read without leaving the unit,
/// and why; empty: none. An entry without an abbreviation is the last: there,
/// LLVM ends, too. One pass over the unit's bytes.
std::string damageOfBounds(const llvm::DWARFUnit &Unit);
/// That, of its first entry alone.
std::string damageOfFirstBounds(const llvm::DWARFUnit &Unit);
/// Whether LLVM can read an entry at \p Offset, which may be anywhere.
bool isReadableEntry(const llvm::DWARFUnit &Unit, uint64_t Offset);

/// Whether entries of \p Unit may refer to those of other units, which LLVM
/// then reads, too.
bool mayReferToOthers(const llvm::DWARFUnit &Unit);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ENTRYBOUNDS_H
