//===- DebugNames.h - Where debug information has names ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_DEBUGNAMES_H
#define REWIND_COMMANDS_SUPPORT_DEBUGNAMES_H

#include "commands/support/DebugInfo.h"
#include "core/support/ElfFile.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace rw {

/// What \p Die is an instance or the definition of: where that is declared.
llvm::DWARFDie declarationOf(llvm::DWARFDie Die);
/// A structure, a class or a union.
bool isClass(llvm::DWARFDie Die);

/// The names of one image's debug information (DWARF of C and C++), each with
/// all that it may mean. Made by a walk over all of it.
class DebugNames {
public:
  /// An image without debug information has no names. Null if the names cannot
  /// all be known: the file cannot be read, or is too large, or part of its
  /// debug information is elsewhere or damaged.
  static std::unique_ptr<DebugNames> read(llvm::StringRef Path);

  /// What is defined under \p Name outside of functions and classes (variables,
  /// functions, enumerators), and the static variables of functions.
  llvm::ArrayRef<llvm::DWARFDie> globals(llvm::StringRef Name) const;
  /// The structures and unions of that tag that are defined outside of
  /// functions and classes.
  llvm::ArrayRef<llvm::DWARFDie> records(llvm::StringRef Tag) const;
  /// Whether a function anywhere has a local variable or parameter, or a class
  /// a member, of that name.
  bool isLocalSomewhere(llvm::StringRef Name) const {
    return Locals.contains(Name);
  }
  /// Whether \p Name may mean something in the function around \p PC that it
  /// does not mean everywhere: what any block of it declares, or a class that
  /// it is a member of. \p PC as in the file.
  bool isLocalAt(uint64_t PC, llvm::StringRef Name);
  DebugInfo &dwarf() { return *Dwarf; }
  /// Whether something of the program's lies there; as in the file.
  bool isData(uint64_t Addr, uint64_t Size) const;

private:
  struct Scope {
    llvm::StringSet<> Names;
    llvm::DenseSet<uint64_t> Classes; ///< by offset; those whose members it has
    bool Any = false;                 ///< it is not known which
  };
  bool walk(llvm::DWARFDie Die, bool InFunction, bool InClass, unsigned Depth);
  const Scope &scopeOf(llvm::DWARFDie Function);
  void addScope(Scope &S, llvm::DWARFDie Die, unsigned Depth);
  void addMembers(Scope &S, llvm::DWARFDie Class, unsigned Depth);

  ElfFile File;
  std::optional<DebugInfo> Dwarf;
  llvm::StringMap<llvm::SmallVector<llvm::DWARFDie, 1>> Globals;
  llvm::StringMap<llvm::SmallVector<llvm::DWARFDie, 1>> Records; ///< by tag
  llvm::StringSet<> Locals;
  std::map<uint64_t, Scope> Scopes; ///< by the function's offset
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_DEBUGNAMES_H
