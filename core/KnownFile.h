//===- KnownFile.h - Files that nobody wants to lose ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_KNOWNFILE_H
#define REWIND_KNOWNFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace rw {

/// What the regular file \p Path is to a user, if a name mistyped behind -o
/// must not cost it: "a trace (tarmac)", a part of one, an ELF file, an index,
/// layers, bookmarks, whosever they are. Empty for all else, which what we
/// export is part of. An Error if it cannot be read, so that nobody knows.
/// Reads its beginning, and the description of a bundle that lies beside it.
llvm::Expected<std::string> knownFile(llvm::StringRef Path);

/// knownFile() for those who make traces of the format \p Own themselves: one
/// of these, not compressed, is replaced by the next.
llvm::Expected<std::string> knownFileBut(llvm::StringRef Own,
                                         llvm::StringRef Path);

} // namespace rw

#endif // REWIND_KNOWNFILE_H
