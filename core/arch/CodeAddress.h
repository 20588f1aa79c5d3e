//===- CodeAddress.h - Where a pointer to code leads ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_CODEADDRESS_H
#define REWIND_ARCH_CODEADDRESS_H

#include "core/model/Types.h"

namespace rw {

/// The address that a pointer to code leads to. Bit 0 of Arm's is the Thumb bit
/// (A64 code has none, but A32 and T32 code may be in the same trace); an
/// instruction of x86 may be at any address.
constexpr uint64_t codeAddress(Arch A, uint64_t Pointer) {
  return A == Arch::Arm || A == Arch::AArch64 ? Pointer & ~uint64_t(1)
                                              : Pointer;
}

/// The address that a return address in a register means.
constexpr uint64_t codeAddress(ISA Isa, uint64_t Pointer) {
  return Isa == ISA::X86_64 ? Pointer : Pointer & ~uint64_t(1);
}

} // namespace rw

#endif // REWIND_ARCH_CODEADDRESS_H
