//===- PPCOperands.h - Registers that POWER code writes ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_ARCH_PPCOPERANDS_H
#define REWIND_ARCH_PPCOPERANDS_H

#include "core/arch/RegisterFile.h"
#include "core/support/Golden.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>

namespace rw {

/// Tells the registers that an instruction writes, from LLVM's tables. Asking
/// for an opcode that was asked for before costs a few nanoseconds. Not
/// thread-safe.
class PPCOperands {
public:
  PPCOperands();
  ~PPCOperands();

  /// \p Opcode with the prefix in the upper half. Valid until the next call.
  llvm::ArrayRef<LaneBytes> writes(uint64_t Opcode) {
    const Entry &E = Cache[slot(Opcode)];
    if (E.Valid && E.Opcode == Opcode)
      return {E.Lanes, E.Size};
    return find(Opcode);
  }

  /// Whether nobody knows what else it writes: LLVM does not know the
  /// instruction, a register tells how many, or it loses or restores them all
  /// (stop, a transaction given up).
  bool mayWriteMore(uint64_t Opcode) {
    const Entry &E = Cache[slot(Opcode)];
    if (!E.Valid || E.Opcode != Opcode)
      (void)find(Opcode);
    return Cache[slot(Opcode)].More;
  }

private:
  static constexpr unsigned MaxLanes = 8; ///< in the cache
  struct Entry {
    uint64_t Opcode = 0;
    bool Valid = false, More = false;
    uint8_t Size = 0;
    LaneBytes Lanes[MaxLanes];
  };
  static constexpr unsigned NumEntries = 8192;
  static unsigned slot(uint64_t Opcode) {
    return unsigned(golden(Opcode) >> 51);
  }
  llvm::ArrayRef<LaneBytes> find(uint64_t Opcode);

  struct Decoder;
  std::unique_ptr<Decoder> D;
  std::unique_ptr<Entry[]> Cache;
  llvm::SmallVector<LaneBytes, 16> Large;
};

} // namespace rw

#endif // REWIND_ARCH_PPCOPERANDS_H
