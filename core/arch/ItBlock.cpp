//===- ItBlock.cpp - Conditions of Thumb instructions ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/arch/ItBlock.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace rw {

uint8_t itCondition(uint64_t PC, function_ref<T32Code(uint64_t)> CodeAt) {
  // An IT block has at most four instructions of at most four bytes.
  for (unsigned Back = 2; Back <= 14; Back += 2) {
    if (Back > PC)
      break;
    T32Code It = CodeAt(PC - Back);
    if (It.Size != 2 || (It.Opcode & 0xff00) != 0xbf00 || !(It.Opcode & 0xf))
      continue;
    const unsigned Mask = It.Opcode & 0xf, First = It.Opcode >> 4 & 0xf;
    const unsigned Count = 4 - unsigned(llvm::countr_zero(Mask));
    uint64_t At = PC - Back + 2;
    for (unsigned K = 0; K < Count && At <= PC; ++K) {
      if (At == PC)
        return K == 0 ? uint8_t(First)
                      : uint8_t((First & 0xe) | (Mask >> (4 - K) & 1));
      T32Code C = CodeAt(At);
      if (!C.Size)
        break;
      At += C.Size;
    }
  }
  return NoItCondition;
}

} // namespace rw
