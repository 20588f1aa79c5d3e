//===- UnknownVariables.h - Variables that LLDB cannot read -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_UNKNOWNVARIABLES_H
#define REWIND_PLUGIN_UNKNOWNVARIABLES_H

#include "lldb/API/SBFrame.h"
#include "lldb/API/SBValue.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace rw {

/// The end of the name, `x` or `a::b` or `::x`, that begins at \p At; \p At if
/// none does.
size_t endOfName(llvm::StringRef Text, size_t At);

/// Where the next operand of \p Text may begin, a name or a bracket, from \p At
/// on; the size if there is none. Members behind a '.' or "->", words of $ and
/// literals are none.
size_t nextOperand(llvm::StringRef Text, size_t At);

/// Whether all indexes in \p Path are numbers: one that is unknown LLDB takes
/// for 0.
bool hasNumberIndexes(llvm::StringRef Path);
/// Whether they are so small that LLDB, which adds without looking, does not
/// come round to another place of the address space.
bool hasSmallIndexes(llvm::StringRef Path);
/// Whether the indexes in \p Rest, the end of a path from \p V on, are what C++
/// says: of a map they would be keys, and LLDB takes the child of that number.
bool indexesChildren(lldb::SBValue V, llvm::StringRef Rest);

/// What LLDB says that \p Path is, not valid if it does not know.
lldb::SBValue variableAt(lldb::SBFrame Frame, llvm::StringRef Path);

/// What \p Path, "a.b->c[3]", names in \p Frame, found without LLDB's
/// interpreter, also where that does not know the language. Not valid if there
/// is an index that is no number.
lldb::SBValue pathValue(lldb::SBFrame Frame, llvm::StringRef Path);

/// The address that LLDB could not read \p V from, if it says so.
std::optional<uint64_t> unreadAt(lldb::SBValue V);

/// Where the variable \p Name has its value, if that is in memory and cannot be
/// read.
std::optional<uint64_t> unknownVariable(lldb::SBFrame Frame,
                                        llvm::StringRef Name);

/// \p Text with all variables that LLDB cannot read in an expression as what
/// lies at their addresses, `(*(int*)0x1000)`; nothing if there is none. LLDB
/// reads scalar variables before it begins, needed or not, and if one is
/// unknown fails for all of the expression, `&x` too; static members of classes
/// it does not read at all. What lies at an address it reads when it comes to
/// it. Asks for each global variable, which is some ten milliseconds.
std::optional<std::string> placeUnread(lldb::SBFrame Frame,
                                       llvm::StringRef Text);

/// Whether LLDB says in \p Problem that placeUnread() can help.
bool needsPlaces(llvm::StringRef Problem);

/// The value of \p Text as LLDB interprets it: no code is run, no result kept.
/// What is unknown must be known only if it is needed.
lldb::SBValue interpret(lldb::SBFrame Frame, llvm::StringRef Text,
                        bool ApplyFixIts = true);

/// Whether LLDB has the value.
bool isGood(lldb::SBValue V);

/// What LLDB says of a value that it does not have.
std::string problemOf(lldb::SBValue V);

} // namespace rw

#endif // REWIND_PLUGIN_UNKNOWNVARIABLES_H
