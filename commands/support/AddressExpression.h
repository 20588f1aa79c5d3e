//===- AddressExpression.h - What addresses are made of ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_ADDRESSEXPRESSION_H
#define REWIND_COMMANDS_SUPPORT_ADDRESSEXPRESSION_H

#include "commands/support/Location.h"
#include "commands/support/Symbols.h"

namespace rw {

// An address, as parseAddress() (Location.h) understands it: numbers, symbols
// ("items", "sym::items") and registers ("sp", "reg::sp") under +, -, *, <<, >>
// and brackets.

/// What is said of a name that is no register, symbol or number (Location.cpp).
llvm::Error unknownName(const Session &S, llvm::StringRef Name);
/// An error if \p Text is what a shell leaves of a "p->member" that is not
/// quoted.
llvm::Error checkQuoted(const Session &S, llvm::StringRef Text);

/// A symbol by name: one only, or an Error.
llvm::Expected<DataSymbol> oneSymbol(Session &S, llvm::StringRef Name);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_ADDRESSEXPRESSION_H
