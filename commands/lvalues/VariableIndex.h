//===- VariableIndex.h - Global variables of the images ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_VARIABLEINDEX_H
#define REWIND_COMMANDS_LVALUES_VARIABLEINDEX_H

#include "commands/support/DebugInfo.h"
#include <string>
#include <vector>

namespace rw {

/// The variables that have one address all the time: global ones, members of
/// classes, those that functions keep. Made by walking through all of the debug
/// information, once.
class VariableIndex {
public:
  struct Entry {
    std::string Name;  ///< "ns::Class::member", "function::variable"
    std::string Short; ///< without inline namespaces; empty: has none
    uint64_t Addr = 0;
    llvm::DWARFDie Die;
    bool Local = false; ///< of a function
    size_t Image = 0;   ///< index among the images
  };

  explicit VariableIndex(llvm::ArrayRef<DwarfImage> Images);

  /// Those of that name, or whose name ends with "::" and it; the variables of
  /// functions only by the function's name as well.
  std::vector<const Entry *> find(llvm::StringRef Name) const;
  /// Finds variables that have no address, or one in each thread: constants,
  /// what was optimised away, what is only declared.
  std::vector<const Entry *> findUnplaced(llvm::StringRef Name) const;
  llvm::ArrayRef<Entry> all() const { return Entries; } ///< by address
  /// The ones that begin last at or before \p Addr.
  std::vector<const Entry *> before(uint64_t Addr) const;

private:
  void add(llvm::DWARFDie Parent, const std::string &Scope, bool InFunction,
           size_t Image, uint64_t Slide, unsigned Depth);
  std::vector<Entry> Entries; ///< by address
  std::vector<Entry> Unplaced;
};

/// Whether these are one name, with other blanks in it perhaps.
bool isSameName(llvm::StringRef A, llvm::StringRef B);

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_VARIABLEINDEX_H
