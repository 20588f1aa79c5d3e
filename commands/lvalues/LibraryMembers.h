//===- LibraryMembers.h - What operators of the library return --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nothing of the program can run, but what operator[], * and -> of classes of
// the C++ library do can be said in members: libstdc++'s and libc++'s.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_LIBRARYMEMBERS_H
#define REWIND_COMMANDS_LVALUES_LIBRARYMEMBERS_H

#include "commands/lvalues/DwarfTypes.h"

namespace rw {

/// The member, "a.b", of the class std::\p Library that operator[] indexes;
/// empty if it does more than that. \p Type is the class.
llvm::StringRef elementsOf(const DwarfTypes &Types, llvm::DWARFDie Type,
                           llvm::StringRef Library);

/// The member behind what * and -> return: a pointer to it, or std::optional's
/// own value.
llvm::StringRef pointedTo(const DwarfTypes &Types, llvm::DWARFDie Type,
                          llvm::StringRef Library);

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_LIBRARYMEMBERS_H
