//===- CommandOverview.h - The list that help begins with -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_COMMANDOVERVIEW_H
#define REWIND_COMMANDS_SUPPORT_COMMANDOVERVIEW_H

#include "commands/Command.h"

namespace rw {

/// A line for each of \p All, in groups with an example each. \p All has what
/// only the shell or only LLDB has, and what it has of the registry in that
/// order.
std::string listCommands(llvm::ArrayRef<const Command *> All, bool InShell);

/// Those whose name begins with the word \p Family, each with an example.
std::string familyHelp(llvm::StringRef Family, bool InShell);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_COMMANDOVERVIEW_H
