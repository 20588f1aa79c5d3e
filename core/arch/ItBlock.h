//===- ItBlock.h - Conditions of Thumb instructions -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_ITBLOCK_H
#define REWIND_ARCH_ITBLOCK_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstdint>

namespace rw {

/// The condition of IT blocks: 0 to 14 as in an encoding; 15: in none.
constexpr uint8_t NoItCondition = 15;

/// What was executed at an address, as TraceStore::codeAt has it; size 0:
/// nothing.
struct T32Code {
  uint32_t Opcode = 0;
  uint8_t Size = 0;
};

/// The condition of the T32 instruction at \p PC: looks at the seven halfwords
/// before it, in which an IT instruction would be that covers it.
uint8_t itCondition(uint64_t PC, llvm::function_ref<T32Code(uint64_t)> CodeAt);

} // namespace rw

#endif // REWIND_ARCH_ITBLOCK_H
