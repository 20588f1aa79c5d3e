//===- OptionSpec.h - What an option is called ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_OPTIONSPEC_H
#define REWIND_SUPPORT_OPTIONSPEC_H

#include "llvm/ADT/StringRef.h"

namespace rw {

/// An option of a command or of a trace format, for tables: parsers, helps and
/// documentation are made from these.
struct OptionSpec {
  llvm::StringLiteral Long;  ///< without the dashes
  char Short;                ///< 0: none
  llvm::StringLiteral Value; ///< what its value is called; empty: a flag
  llvm::StringLiteral Help;
  /// "a|b": the words that the value may be, for completion; what else it may
  /// be, Value and Help tell. Empty: no word is more likely than another.
  llvm::StringLiteral Choices = "";
};

} // namespace rw

#endif // REWIND_SUPPORT_OPTIONSPEC_H
