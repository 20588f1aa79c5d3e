//===- Semihosting.h - Writes that a trace does not show --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Source: "Semihosting for AArch32 and AArch64", Arm ABI, abi-aa. A call's
// results in memory are written by the model, not by an instruction, and so are
// in no Tarmac line.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_SEMIHOSTING_H
#define REWIND_FORMATS_TARMAC_SEMIHOSTING_H

#include "core/model/ItemBatch.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace rw::tarmac {

inline bool isSemihostingCall(uint64_t Opcode, ISA Isa) {
  if (Isa == ISA::A64)
    return Opcode == 0xd45e0000; // HLT #0xf000
  if (Isa == ISA::A32)           // SVC #0x123456 (any condition), HLT #0xf000
    return (Opcode & 0x0fffffff) == 0x0f123456 || Opcode == 0xe10f0070;
  if (Isa == ISA::T32) // BKPT #0xab, SVC #0xab, HLT #0x3c
    return Opcode == 0xbeab || Opcode == 0xdfab || Opcode == 0xbabc;
  return false;
}

/// What a semihosting call may have written.
struct SemihostingEffect {
  struct Range {
    uint64_t Addr = 0, Size = 0;
  };
  llvm::SmallVector<Range, 2> Ranges;
  std::string Problem; ///< why it is not known, if it is not
};

/// \p Op and \p Param are r0/x0 and r1/x1 at the call, if known; \p Word reads
/// a word of 4 or 8 bytes of memory at that moment.
SemihostingEffect semihostingEffect(
    ISA Isa, std::optional<uint64_t> Op, std::optional<uint64_t> Param,
    llvm::function_ref<std::optional<uint64_t>(uint64_t, unsigned)> Word);

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_SEMIHOSTING_H
