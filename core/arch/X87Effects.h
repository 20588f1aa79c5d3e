//===- X87Effects.h - What x87 instructions write ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to arch/. LLVM's tables do not describe the x87 register stack.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_X87EFFECTS_H
#define REWIND_ARCH_X87EFFECTS_H

#include <cstdint>

namespace rw {

struct X87Effects {
  uint8_t Stack = 0; ///< mask of st0..st7, as they are named afterwards
  bool Status = false, Control = false, Tag = false, Flags = false, AX = false;
};

/// \p Escape is the opcode byte, 0xd8..0xdf.
X87Effects x87Effects(uint8_t Escape, uint8_t ModRM);

} // namespace rw

#endif // REWIND_ARCH_X87EFFECTS_H
