//===- Prologue.h - Where the body of a function begins ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_PROLOGUE_H
#define REWIND_COMMANDS_SUPPORT_PROLOGUE_H

#include <cstdint>

namespace rw {

class DebugInfo;

/// Where LLDB puts a breakpoint on the function that begins at \p Start: its
/// parameters and variables are there from then on. By the same rules
/// (lldb_private::Function::GetPrologueByteSize), but for a function that is
/// all in one line: LLDB looks for another line behind its end, and stays at
/// its first instruction. \p Start itself where the debug information tells of
/// no function, or has no lines of it, which it says. Addresses are those of
/// the file.
uint64_t behindPrologue(DebugInfo &Dwarf, uint64_t Start);

/// As SymbolSource::behindFirstRow() has it.
uint64_t behindFirstRow(DebugInfo &Dwarf, uint64_t Start);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_PROLOGUE_H
