//===- PPCStores.h - Registers that POWER code stores -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCSTORES_H
#define REWIND_ARCH_PPCSTORES_H

#include <cstdint>
#include <optional>

namespace rw::ppc {

/// The registers that a store writes to memory, one after the other.
struct StoredRegisters {
  uint8_t FirstLane = 0, Count = 1;
  uint8_t Size = 0;         ///< low bytes of each
  bool Reversed = false;    ///< byte-reversed
  bool IsOneNumber = false; ///< together, the first one on top
};
/// None: it stores no general registers, or may not take place (stcx.).
std::optional<StoredRegisters> storedRegisters(uint32_t Prefix,
                                               uint32_t Opcode);

} // namespace rw::ppc

#endif // REWIND_ARCH_PPCSTORES_H
