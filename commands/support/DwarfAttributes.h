//===- DwarfAttributes.h - What attributes of DWARF say ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DWARFATTRIBUTES_H
#define REWIND_COMMANDS_DWARFATTRIBUTES_H

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/DebugInfo/DWARF/DWARFFormValue.h"
#include <cstdint>
#include <optional>

namespace rw {

/// A number that some compilers write with a sign, though it has none.
std::optional<uint64_t> dwarfConstant(llvm::DWARFDie D,
                                      llvm::dwarf::Attribute A);

/// The value of an enumerator. Only forms with a sign tell negative ones apart:
/// in one byte, 0xc8 is 200.
int64_t enumeratorValue(const llvm::DWARFFormValue &V);

/// The file that \p D says that it is declared in; empty if it does not.
std::string declaredIn(llvm::DWARFDie D,
                       llvm::DILineInfoSpecifier::FileLineInfoKind Kind);

/// In bits from the beginning of what holds the member, counted as the machine
/// does: on a big-endian one, bit 0 is the highest of the first byte.
struct MemberPlace {
  uint64_t Bits = 0;
  unsigned BitWidth = 0; ///< of a bit-field, 1 to 64; else 0
};

/// As DWARF tells it, in version 4 and before it. Nothing if only the object
/// does, or if that makes no sense. Not for virtual bases.
std::optional<MemberPlace> memberPlace(llvm::DWARFDie Member);

} // namespace rw

#endif // REWIND_COMMANDS_DWARFATTRIBUTES_H
