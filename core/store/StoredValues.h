//===- StoredValues.h - Values of stores that a trace lacks -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_STOREDVALUES_H
#define REWIND_STORE_STOREDVALUES_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// Where a trace tells the addresses of stores but no values (POWER), what was
/// stored is what the register held, as far as that is known. That is certain
/// of the store. What memory holds later on is not: other processors and
/// devices write there, too, and the trace does not have them.
class StoredValues {
public:
  /// \p Store must outlive this.
  explicit StoredValues(const TraceStore &Store);

  /// Whether there is anything to infer in such a trace.
  bool mayInfer() const { return IsPower; }
  /// Fills in the known bytes of what \p I stored, of which the trace tells
  /// nothing. True if there are any. Cheap if called for one instruction after
  /// the other, in order; else it costs a look at the registers.
  llvm::Expected<bool> infer(Instruction &I);

private:
  const TraceStore &Store;
  bool IsPower;
  /// The register that tells the byte order, if the trace has it.
  const RegisterInfo *LittleEndian = nullptr;
  /// The registers of Thread before the instruction Next, if Valid.
  RegisterState State;
  bool Valid = false;
  Moment Next = 0;
  ThreadIndex Thread = 0;
};

} // namespace rw

#endif // REWIND_STORE_STOREDVALUES_H
