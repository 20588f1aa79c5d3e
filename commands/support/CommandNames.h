//===- CommandNames.h - Commands as a person types them ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_COMMANDNAMES_H
#define REWIND_COMMANDS_SUPPORT_COMMANDNAMES_H

#include "commands/Command.h"

namespace rw {

/// What the words of a command line name.
struct NamedCommand {
  const Command *What = nullptr;
  unsigned Used = 0; ///< words that the name took
  /// The first word of commands that have two, if \p Words begin with no more.
  llvm::StringRef Family;
  /// If it is none, why, and what may have been meant: "'last' may be
  /// last-write or last-read".
  std::string Wrong;
};

/// The one of \p All that \p Words begin with. Of each word of a name as much
/// is enough as no other one begins with, as in LLDB: "prof tr". \p Others are
/// names that are no commands of the list, but may have been meant.
NamedCommand nameCommand(llvm::ArrayRef<const Command *> All,
                         llvm::ArrayRef<llvm::StringRef> Words,
                         llvm::ArrayRef<llvm::StringRef> Others = {});

/// The command that a word stands for by itself, although others begin with it,
/// too: "last-write" of "last". Empty: none.
llvm::StringRef shortFor(llvm::StringRef Word);

/// The second word of the command that the name of a family stands for, if it
/// is alone: "dump" of "htr". It ends with a null. Empty: there is none.
llvm::StringRef familyAction(llvm::StringRef Family);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_COMMANDNAMES_H
