//===- EnumeratorIndex.h - Names of the values of enums ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_ENUMERATORINDEX_H
#define REWIND_COMMANDS_LVALUES_ENUMERATORINDEX_H

#include "commands/support/DebugInfo.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace rw {

class NearNames;

/// The enumerators of all images. Made by walking through all of the debug
/// information, once.
class EnumeratorIndex {
public:
  struct Entry {
    std::string Name; ///< "Door::OPEN", "ns::Phase::Run"
    std::string Lent; ///< "OPEN": of an enum of C, in the scope around it
    int64_t Value = 0;
    llvm::DWARFDie Enum;
  };
  explicit EnumeratorIndex(llvm::ArrayRef<DwarfImage> Images);

  /// Those of that name, or whose name ends with "::" and it.
  std::vector<const Entry *> find(llvm::StringRef Name) const;
  void addTo(NearNames &Near) const;

private:
  void add(llvm::DWARFDie Parent, const std::string &Scope, unsigned Depth);
  std::vector<Entry> Entries;
  llvm::StringMap<std::vector<size_t>> ByLast; ///< by the name's last part
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_ENUMERATORINDEX_H
