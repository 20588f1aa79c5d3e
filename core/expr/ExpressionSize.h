//===- ExpressionSize.h - What LLDB's parsers survive -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPR_EXPRESSIONSIZE_H
#define REWIND_EXPR_EXPRESSIONSIZE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace rw {

/// An Error if \p Expression may nest so deep (brackets, but also `!!!x`,
/// `(int)(int)x`, `a ? b : c ? d : e`, `a, b, c`) that a parser of LLDB or
/// Clang, which calls itself for each level, would end the debugger with a
/// stack overflow. To be asked of what a user gives before LLDB gets it. O(n).
llvm::Error checkExpressionSize(llvm::StringRef Expression);

/// \p Path without `const` and `volatile` in brackets, which are of casts:
/// where LLDB 22 understands variables without Clang (`frame variable`, `p`,
/// SBFrame::GetValueForVariablePath) it never ends reading them. Outside
/// brackets and in quotes they stay.
std::string plainCasts(llvm::StringRef Path);
/// An Error if \p Path is not such already.
llvm::Error checkVariablePath(llvm::StringRef Path);

} // namespace rw

#endif // REWIND_EXPR_EXPRESSIONSIZE_H
