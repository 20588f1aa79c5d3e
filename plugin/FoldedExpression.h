//===- FoldedExpression.h - What LLDB cannot interpret ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_FOLDEDEXPRESSION_H
#define REWIND_PLUGIN_FOLDEDEXPRESSION_H

#include "core/types/FloatText.h"
#include "lldb/API/SBFrame.h"
#include "lldb/API/SBValue.h"
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

/// What LLDB makes of foldOperands(), not valid if there is nothing to replace.
/// A result of 16 bytes, an __int128 or a long double, which LLDB's interpreter
/// has no room for, is computed in parts; \p Text is then evaluated several
/// times, unless it assigns.
lldb::SBValue interpretFolded(lldb::SBFrame Frame, llvm::StringRef Text);

/// A constant of C that is of \p Type, also a pointer's. The \p High bits are
/// those of an __int128.
std::string integerConstant(llvm::StringRef Type, uint64_t Bits);
std::string integerConstant(llvm::StringRef Type, uint64_t Low, uint64_t High);
std::string floatConstant(llvm::StringRef Type, double Value);
/// One of another kind, with the lowest byte first; nothing if \p Machine has
/// no literals of it.
std::optional<std::string> floatConstant(llvm::StringRef Type, FloatKind Kind,
                                         llvm::ArrayRef<uint8_t> Bytes,
                                         Arch Machine);

/// Whether \p V, a number, is not zero; nothing if it cannot be told.
std::optional<bool> isNotZero(lldb::SBValue V, Arch Machine);

/// Whether \p Text divides an integer by zero, to which LLDB's interpreter
/// gives a value, where C evaluates the division (behind &&, || and ?:, only if
/// what is before says so). Never of what assigns.
bool dividesByZero(lldb::SBFrame Frame, llvm::StringRef Text);

} // namespace rw

#endif // REWIND_PLUGIN_FOLDEDEXPRESSION_H
