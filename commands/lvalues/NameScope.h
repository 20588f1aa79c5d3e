//===- NameScope.h - Which variable a name means at a place -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_NAMESCOPE_H
#define REWIND_COMMANDS_LVALUES_NAMESCOPE_H

#include "commands/lvalues/VariableIndex.h"

namespace rw {

/// What encloses a piece of code: its function's class with the bases,
/// namespaces (unnamed and inline ones too) and file. Names are looked for in
/// these from the inside to the outside, as C++ does.
class NameScope {
public:
  using Entries = std::vector<const VariableIndex::Entry *>;

  /// The file alone knows nothing of a place without debug information.
  NameScope() = default;
  /// \p Blocks of a function, the innermost first; the last one is the
  /// function, or what is inlined of it.
  explicit NameScope(llvm::ArrayRef<llvm::DWARFDie> Blocks);

  /// Those of \p All, which have that name or a longer one, that \p Name means
  /// here; without the "::" before it. More than one: it is ambiguous. None:
  /// none of them is in scope.
  Entries find(llvm::StringRef Name, const Entries &All) const;
  /// What "::Name" means here.
  Entries findGlobal(llvm::StringRef Name, const Entries &All) const;
  /// The file that the function was written in.
  llvm::DWARFDie unit() const { return Unit; }

private:
  Entries visible(Entries Found) const;
  llvm::SmallVector<llvm::DWARFDie> Blocks;
  llvm::DWARFDie Unit;
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_NAMESCOPE_H
