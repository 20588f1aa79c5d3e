//===- Companions.h - Traces of several files -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_COMPANIONS_H
#define REWIND_FORMATS_COMPANIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace rw {

/// No description of a trace is longer.
inline constexpr uint64_t MaxDescriptionBytes = 64 << 20;

/// The files that belong to a trace besides the one that \p Path names (all of
/// them, if that is a directory): those that make an index stale when they
/// change. Most formats have none. Files that are not there are listed, too;
/// what cannot be understood has none.
std::vector<std::string> companionFiles(llvm::StringRef Path);

} // namespace rw

#endif // REWIND_FORMATS_COMPANIONS_H
