//===- FoldedExpression.h - What LLDB cannot interpret ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_FOLDEDEXPRESSION_H
#define REWIND_PLUGIN_FOLDEDEXPRESSION_H

#include "lldb/API/SBFrame.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw {

/// \p Text, an expression of C, with its operands replaced by their values in
/// \p Frame, each as a constant of its type. LLDB's interpreter knows neither
/// `?:` nor conversions of floating-point numbers; its compiler does, of
/// constants. So are operands for which LLDB would have to run code, and which
/// the images' debug information knows. Operands that are unknown, or that may
/// not be asked for (behind
/// '&', of sizeof, what is assigned to), stay as they are. Nothing if there is
/// nothing to replace. Evaluates every operand: some ten milliseconds each.
std::optional<std::string> foldOperands(lldb::SBFrame Frame,
                                        llvm::StringRef Text);

/// A constant of C that is of \p Type, also a pointer's.
std::string integerConstant(llvm::StringRef Type, uint64_t Bits);
std::string floatConstant(llvm::StringRef Type, double Value);

/// Whether \p Text divides an integer by zero, to which LLDB's interpreter
/// gives a value, where C evaluates the division (behind &&, || and ?:, only if
/// what is before says so). Never of what assigns.
bool dividesByZero(lldb::SBFrame Frame, llvm::StringRef Text);

} // namespace rw

#endif // REWIND_PLUGIN_FOLDEDEXPRESSION_H
