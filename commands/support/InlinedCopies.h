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
  /// One pass over all debug information, some 40 MB a second. Nothing is kept
  /// but names and where entries are. \p Of must outlive this.
  explicit InlinedCopies(DebugInfo &Of);

  class Function {
  public:
    /// Mangled, or with the scopes that it is in: "ns::f".
    llvm::StringRef name() const { return Name; }
    /// As in the file; ascending. Reads the entries of all of them.
    std::vector<InlinedCopy> copies() const;

  private:
    friend class InlinedCopies;
    /// The entry of a copy.
    struct Entry {
      llvm::DWARFUnit *Unit;
      uint64_t Offset;
      unsigned Depth; ///< of inlined calls
      bool InItself;  ///< in the function, or in another copy of it
    };
    std::string Name;
    std::optional<uint64_t> Line; ///< of its declaration
    std::vector<Entry> Entries;
  };
  llvm::ArrayRef<Function> functions() const { return Functions; }

private:
  class Pass;
  std::vector<Function> Functions;
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_INLINEDCOPIES_H
