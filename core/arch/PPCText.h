//===- PPCText.h - POWER instructions as text -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCTEXT_H
#define REWIND_ARCH_PPCTEXT_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace rw::ppc {

/// Instructions that the GNU tools spell otherwise than LLVM, or that it does
/// not know: branches with the Power ISA's extended mnemonics ("bne+
/// cr7,0x10000674", "beqlr-"), shifts, decimal floating point. Nothing for all
/// else; empty for what is no instruction. \p Opcode with the prefix in the
/// upper half.
std::optional<std::string> extendedText(uint64_t Opcode, uint64_t PC);

/// The opcode without reserved bits that the core and the GNU tools ignore and
/// LLVM does not.
uint64_t withoutReserved(uint64_t Opcode);

/// What LLVM printed, without blanks between operands and without '%', with the
/// names that the GNU tools have for it.
std::string respelled(uint64_t Opcode, llvm::StringRef Text);

} // namespace rw::ppc

#endif // REWIND_ARCH_PPCTEXT_H
