//===- ExpressionErrors.h - Why an expression has no value ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_EXPRESSIONERRORS_H
#define REWIND_PLUGIN_PRIVATE_EXPRESSIONERRORS_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBFrame.h"
#include "lldb/API/SBValue.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw {

/// What LLDB means when it says \p Text of \p Expression in a recording: it
/// speaks of its interpreter where a value is unknown, or where code would have
/// to run. Nothing if LLDB's own words say it.
std::optional<std::string> plainReason(lldb::SBFrame Frame,
                                       llvm::StringRef Expression,
                                       llvm::StringRef Text);

/// The structure, union or array \p Expression, an lvalue, of which LLDB cannot
/// read all: it reads each part when that is asked for. Not valid if it is
/// none.
lldb::SBValue knownInPart(lldb::SBFrame Frame, llvm::StringRef Expression);

/// Whether LLDB says in \p Text that it would have to run code.
bool needsCode(llvm::StringRef Text);
/// needsCode(), or that LLDB does not know a name, such as what a lambda has
/// captured: operands that the images know as constants may help.
bool needsConstants(llvm::StringRef Text);

/// `expression` and `dwim-print` (`p`, `call`, `po`) say so, too, where the
/// target is a recording. Uses private headers of LLDB; does nothing in an LLDB
/// of another version.
void explainExpressionErrors(lldb::SBDebugger Debugger);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_EXPRESSIONERRORS_H
