//===- ShellOptions.h - Options of every shell command ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CLI_SHELLOPTIONS_H
#define REWIND_COMMANDS_CLI_SHELLOPTIONS_H

#include "commands/support/CommandNames.h"

namespace rw {

/// A command line taken apart.
struct CommandLine {
  const Command *What = nullptr; ///< null: "help", or a wrong name
  std::string Name;              ///< as typed
  std::string Trace;
  ParsedOptions Options; ///< without the trace
};

/// "index": no command of the registry, as it has no session to run in.
extern const Command IndexCommand;

/// nameCommand() with the shell's own.
NamedCommand nameShellCommand(llvm::ArrayRef<llvm::StringRef> Words);

/// Options may stand before the command's name, too. An Error is the user's
/// mistake.
llvm::Expected<CommandLine> parseCommandLine(llvm::ArrayRef<llvm::StringRef> W);

/// The overview that `rewind help` prints.
std::string overview();
/// The commands whose name begins with the word \p Family.
std::string familyHelp(llvm::StringRef Family);

} // namespace rw

#endif // REWIND_COMMANDS_CLI_SHELLOPTIONS_H
