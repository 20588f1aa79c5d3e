//===- BriefName.h - Names of functions in text -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_BRIEFNAME_H
#define REWIND_COMMANDS_SUPPORT_BRIEFNAME_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace rw {

/// A demangled name as a line of text has it: of one that is longer than 80
/// characters as many template arguments are left out as it takes, the
/// innermost first, then the parameters: "sort<Iterator<...>, Less<...>>",
/// "sort<...>(...)". Still longer if what remains is. JSON has whole names.
std::string briefName(llvm::StringRef Name);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_BRIEFNAME_H
