//===- StoreInput.h - What expressions read in a trace ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPR_STOREINPUT_H
#define REWIND_EXPR_STOREINPUT_H

#include "core/expr/Expression.h"
#include "core/store/StoreAnswers.h"

namespace rw {

/// Whether the program's numbers begin with their highest byte.
bool isBigEndian(const TraceHeader &H);

/// What is common to all expressions about the program of \p Store.
ExpressionContext expressionContext(const TraceStore &Store);

/// Reads the state of a thread before a moment.
class StoreInput : public ExpressionInput {
public:
  StoreInput(const TraceStore &Store, ThreadIndex T, Moment M)
      : Store(Store), T(T), M(M) {}

  Value readRegister(RegisterSlice S) override;
  Value pc() override;
  Value tracePart(TracePart Which) override;
  Value readMemory(uint64_t Addr, unsigned Size) override;

protected:
  /// Fills both, of one size, as TraceStore::memoryAt does.
  virtual llvm::Error bytes(uint64_t Addr, llvm::MutableArrayRef<uint8_t> Bytes,
                            llvm::MutableArrayRef<uint8_t> Known);

  const TraceStore &Store;
  const ThreadIndex T;
  const Moment M;

private:
  std::optional<RegisterState> State; ///< read at first need
};

} // namespace rw

#endif // REWIND_EXPR_STOREINPUT_H
