//===- PPCTextTable.h - POWER instructions that LLVM lacks ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCTEXTTABLE_H
#define REWIND_ARCH_PPCTEXTTABLE_H

#include <cstdint>
#include <optional>
#include <string>

namespace rw::ppc {

/// The text of an instruction of which LLVM knows nothing, or has it wrong:
/// decimal floating point, and what few compilers use. Nothing if it is none of
/// those.
std::optional<std::string> tabledText(uint32_t Opcode);

} // namespace rw::ppc

#endif // REWIND_ARCH_PPCTEXTTABLE_H
