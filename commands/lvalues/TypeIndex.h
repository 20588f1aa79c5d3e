//===- TypeIndex.h - Names of types and of enumerators ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_TYPEINDEX_H
#define REWIND_COMMANDS_LVALUES_TYPEINDEX_H

#include "commands/support/DebugInfo.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace rw {

class NearNames;

/// The types of all images that have a name, and the enumerators. Made by
/// walking through all of the debug information, once.
class TypeIndex {
public:
  struct Enumerator {
    std::string Name; ///< "Door::OPEN", "ns::Phase::Run"
    std::string Lent; ///< "OPEN": of an enum of C, in the scope around it
    int64_t Value = 0;
    llvm::DWARFDie Enum;
  };
  struct Named {
    std::string Name; ///< "ns::Stack<int>", "unsigned long"; see spelling()
    llvm::DWARFDie Type;
  };
  explicit TypeIndex(llvm::ArrayRef<DwarfImage> Images);

  /// Those of that name, or whose name ends with "::" and it.
  std::vector<const Enumerator *> enumerators(llvm::StringRef Name) const;
  std::vector<const Named *> types(llvm::StringRef Name) const;
  void addEnumeratorsTo(NearNames &Near) const;
  void addTypesTo(NearNames &Near) const;

private:
  void add(llvm::DWARFDie Parent, const std::string &Scope, unsigned Depth);
  void addType(llvm::DWARFDie Type, const std::string &Scope);
  std::vector<Enumerator> Enumerators;
  std::vector<Named> Types;
  /// By the name's last part.
  llvm::StringMap<std::vector<size_t>> EnumeratorsByLast, TypesByLast;
};

/// Whether \p Word is one of those that C makes the names of integers of.
bool isIntegerWord(llvm::StringRef Word);

/// One spelling of all that a type can be written as: "unsigned long" of "long
/// unsigned int", "A<int>::B" of "A< int > :: B".
std::string spelling(llvm::StringRef Type);

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_TYPEINDEX_H
