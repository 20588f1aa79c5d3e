//===- PPCText.h - POWER instructions as text -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCTEXT_H
#define REWIND_ARCH_PPCTEXT_H

#include <cstdint>
#include <string>

namespace rw::ppc {

/// Branches as the Power ISA's extended mnemonics and the GNU tools spell them
/// ("bne+ cr7,0x10000674", "beqlr-"), and what LLVM has no name for (rfscv,
/// pnop). Empty for everything else. \p Opcode with the prefix in the upper
/// half.
std::string extendedText(uint64_t Opcode, uint64_t PC);

} // namespace rw::ppc

#endif // REWIND_ARCH_PPCTEXT_H
