//===- PPCInference.h - Register values that code implies -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCINFERENCE_H
#define REWIND_ARCH_PPCINFERENCE_H

#include "core/arch/PPCOperands.h"
#include "core/model/ItemBatch.h"
#include <optional>

namespace rw {

/// Follows what POWER code does to registers where a trace has opcodes and data
/// addresses but no register values. Which registers are written is always
/// known; a value only where it follows with certainty: the link register after
/// a call, constants and what is computed from them, the base register of a
/// load or store with update, moves between them.
class PPCInference {
public:
  /// Appends what the instruction writes, and follows it. \p DataEA: the
  /// address it accessed, if the trace has it.
  void instruction(uint64_t PC, uint64_t Opcode, unsigned Size,
                   std::optional<uint64_t> DataEA, std::vector<RegItem> &Out);
  /// Appends unknown writes of all registers that were known: after a gap
  /// nothing is certain.
  void forget(std::vector<RegItem> &Out);

private:
  static constexpr unsigned NumLanes = 34; ///< r0..r31, LR, CTR
  struct Result {
    unsigned Lane;
    uint64_t Value;
  };
  std::optional<uint64_t> get(unsigned Lane) const {
    if (Known >> Lane & 1)
      return Value[Lane];
    return std::nullopt;
  }
  void derive(uint64_t PC, uint64_t Opcode, unsigned Size,
              std::optional<uint64_t> DataEA,
              llvm::SmallVectorImpl<Result> &Out) const;

  PPCOperands Operands;
  uint64_t Value[NumLanes] = {};
  uint64_t Known = 0; ///< bit per lane
};

} // namespace rw

#endif // REWIND_ARCH_PPCINFERENCE_H
