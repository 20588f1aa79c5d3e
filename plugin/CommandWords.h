//===- CommandWords.h - The words of Rewind's commands in LLDB --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_COMMANDWORDS_H
#define REWIND_PLUGIN_COMMANDWORDS_H

#include "commands/Command.h"
#include "lldb/API/SBDebugger.h"
#include "plugin/private/CommandCompletion.h"

namespace rw {

/// All commands of LLDB's `rewind`, in the order in which help lists them. Of
/// those that are no commands of the registry only names, arguments and
/// options are told.
llvm::ArrayRef<const Command *> lldbCommands();

/// The command of the registry that goes on from \p C's name, which LLDB has
/// for a command already ("deps lines"), by the first word behind that.
const Command *commandBelow(const Command &C,
                            llvm::ArrayRef<llvm::StringRef> Words);

/// What `help rewind` prints.
std::string overviewInDebugger();

/// What \p Word, behind those \p Before, of \p C may become. Names of the
/// program and positions are known while the selected target is a recording
/// that stands.
std::vector<CompletedWord> completeWord(lldb::SBDebugger Debugger,
                                        const Command &C,
                                        llvm::ArrayRef<llvm::StringRef> Before,
                                        llvm::StringRef Word);

} // namespace rw

#endif // REWIND_PLUGIN_COMMANDWORDS_H
