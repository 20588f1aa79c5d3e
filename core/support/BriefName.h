//===- BriefName.h - Names of functions in text -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_SUPPORT_BRIEFNAME_H
#define REWIND_SUPPORT_BRIEFNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// A demangled name as a line of text has it: without a return type. Of one
/// that is longer than 80 characters, arguments that templates of the standard
/// library have by default are left out, and then as many template arguments as
/// it takes, the innermost first, then the parameters:
/// "sort<Iterator<...>, Less<...>>(...) ~3f2a". The number at the end tells it
/// from others that look the same. What remains may be longer; of more than 200
/// bytes the middle is left out. JSON has whole names.
std::string briefName(llvm::StringRef Name);

/// \p Name without what every use of a template of the standard library has
/// (allocators, traits, inline namespaces), and with std::string as one types
/// it.
std::string withoutDefaults(llvm::StringRef Name);

/// A C++ function's name as one types it: without return type, template
/// arguments and parameters: "std::sort". Other names stay as they are.
std::string plainName(llvm::StringRef Name);

} // namespace rw

#endif // REWIND_SUPPORT_BRIEFNAME_H
