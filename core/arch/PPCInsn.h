//===- PPCInsn.h - Facts about POWER instructions ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an opcode alone tells, as the Power ISA 3.1C (and 2.07 for what was
// removed) has it. All functions are table lookups of a few nanoseconds.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCINSN_H
#define REWIND_ARCH_PPCINSN_H

#include <cstdint>
#include <optional>

namespace rw::ppc {

/// The prefix of a prefixed instruction has primary opcode 1.
constexpr bool isPrefix(uint32_t Word) { return Word >> 26 == 1; }

struct MemoryKind {
  enum : uint8_t {
    Load = 1,
    Store = 2,     ///< both: an atomic update
    Exclusive = 4, ///< larx, stcx.
    SizeKnown = 8, ///< clear: the length is in a register
    Touch = 16,    ///< cache and prefetch hints: an address, but no data
    Aligned = 32,  ///< works on the aligned block of Size around its address
  };
  uint8_t Size = 0; ///< bytes; an upper bound if not SizeKnown
  uint8_t Flags = 0;
  bool accesses() const { return Flags & (Load | Store); }
};
/// How an instruction accesses memory. \p Prefix is 0 if there is none.
MemoryKind memoryKind(uint32_t Prefix, uint32_t Opcode);

/// Whether a branch of any form may also fall through.
bool isConditional(uint32_t Opcode);

/// Target of a direct branch at \p PC.
std::optional<uint64_t> branchTarget(uint32_t Opcode, uint64_t PC);

/// Whether the primary opcode is one that any POWER8 or later executes. False
/// for 0: a word of small numbers is not an instruction.
bool isPlausible(uint32_t Prefix, uint32_t Opcode);

} // namespace rw::ppc

#endif // REWIND_ARCH_PPCINSN_H
