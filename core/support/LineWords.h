//===- LineWords.h - The words of a command line ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines that LLDB does not split itself follow its rules (Args.cpp), so that a
// command means the same wherever it is typed: between ' nothing has a meaning,
// between " a backslash quotes " and itself, elsewhere also ' and white space.
// Before all others a backslash is a letter.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_LINEWORDS_H
#define REWIND_SUPPORT_LINEWORDS_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace rw {

/// The words of \p Line. Error: a quote that none closes.
llvm::Expected<std::vector<std::string>> splitWords(llvm::StringRef Line);

/// \p Text as one word of such a line.
std::string quoteWord(llvm::StringRef Text);

} // namespace rw

#endif // REWIND_SUPPORT_LINEWORDS_H
