//===- StringTable.h - The strings of a profile.proto -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_STRINGTABLE_H
#define REWIND_EXPORT_STRINGTABLE_H

#include "core/support/Printable.h"
#include "llvm/ADT/ArrayRef.h"
#include <map>
#include <string>
#include <vector>

namespace rw {

/// Strings by number; 0 is the empty one. What reads them wants UTF-8: bytes
/// that are none, and control characters, are escaped.
class StringTable {
public:
  uint64_t id(const std::string &S) {
    auto [It, New] = Ids.try_emplace(printableLines(S), Ids.size());
    if (New)
      InOrder.push_back(&It->first);
    return It->second;
  }
  StringTable() { id(""); }
  llvm::ArrayRef<const std::string *> all() const { return InOrder; }

private:
  std::map<std::string, uint64_t> Ids;
  std::vector<const std::string *> InOrder;
};

} // namespace rw

#endif // REWIND_EXPORT_STRINGTABLE_H
