//===- Widening.h - Instructions that only widen a value --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_WIDENING_H
#define REWIND_COMMANDS_DATAFLOW_WIDENING_H

#include "llvm/ADT/StringRef.h"

namespace rw {

/// How many low bytes of its one source an instruction leaves as they are,
/// while it fills the others with zeros or the sign: 4 for "sxtw x1, w0", 1 for
/// "and w1, w0, #0xff". 0: it does something else. \p Text is its disassembly,
/// of A64, A32, T32, POWER or (AT&T's) x86-64.
unsigned widenedBytes(llvm::StringRef Text);

/// Whether it replaces a part of a constant that earlier instructions began:
/// movk, movt.
bool continuesConstant(llvm::StringRef Text);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_WIDENING_H
