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

/// "completion": no trace is asked.
extern const Command CompletionCommand;

/// All that the shell has, in the order in which help lists them.
llvm::ArrayRef<const Command *> shellCommands();
/// The options that every command has in the shell, those of loading aside.
llvm::ArrayRef<OptionSpec> shellOptions();

/// nameCommand() with the shell's own.
NamedCommand nameShellCommand(llvm::ArrayRef<llvm::StringRef> Words);

/// Options may stand before the command's name, too. An Error is the user's
/// mistake.
llvm::Expected<CommandLine> parseCommandLine(llvm::ArrayRef<llvm::StringRef> W);

/// The arguments of \p C that come before the trace: what is chosen, unless the
/// trace comes first, as was the only way once.
size_t tracePlace(const Command &C, llvm::ArrayRef<std::string> Arguments);

/// Where the command's name begins: the first word that is no option and no
/// option's value.
size_t nameIndex(llvm::ArrayRef<llvm::StringRef> W);

/// The overview that `rewind help` prints.
std::string overview();

} // namespace rw

#endif // REWIND_COMMANDS_CLI_SHELLOPTIONS_H
