//===- CycleClock.h - How fast CYC packets count ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_CYCLECLOCK_H
#define REWIND_FORMATS_INTELPT_CYCLECLOCK_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace rw::intelpt {

/// The processor's nominal frequency in units of the bus clock, at which the
/// TSC counts: CYC packets count cycles, TSC packets tell the time, and CBR
/// packets how many cycles of the core a cycle of the bus is. 0: the packets do
/// not tell.
uint8_t measureNominalRatio(llvm::ArrayRef<uint8_t> Packets);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_CYCLECLOCK_H
