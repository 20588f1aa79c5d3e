//===- InlinedCopies.h - Where functions are inlined ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_INLINEDCOPIES_H
#define REWIND_COMMANDS_SUPPORT_INLINEDCOPIES_H

#include "commands/support/DebugInfo.h"
#include "commands/support/Symbols.h"

namespace rw {

/// The copies of inlined functions in the code of an image, by name.
class InlinedCopies {
public:
  /// One pass over all debug information, some 100 MB a second, of which
  /// nothing but the names and places is kept.
  explicit InlinedCopies(DebugInfo &Of);

  struct Function {
    std::string Name;                ///< mangled, if the compiler tells that
    std::vector<InlinedCopy> Copies; ///< as in the file; ascending
  };
  llvm::ArrayRef<Function> functions() const { return Functions; }

private:
  std::vector<Function> Functions;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_INLINEDCOPIES_H
