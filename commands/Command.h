//===- Command.h - The commands and their registry --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command is a constant object with help, options and a function. A file has
// one, or those that differ only in a parameter (last-write and next-read). The
// registry (Registry.cpp) lists them; LLDB and the shell offer what is in it.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_COMMAND_H
#define REWIND_COMMANDS_COMMAND_H

#include "commands/support/Options.h"
#include "commands/support/Session.h"
#include "core/support/OutputFile.h"
#include <memory>

namespace rw {

/// What a command that reads the trace file itself gets.
struct FileRequest {
  std::string Path;
  const ParsedOptions &Options;
  llvm::raw_ostream &Out;
  rw::Watch Watch;
  std::function<void(const std::string &)> Warn; ///< never empty
  std::vector<ReservedFile> Reserved;            ///< see AnswerFile.h
};

struct Command {
  /// As typed after `rewind`; may be two words ("bookmark add").
  llvm::StringLiteral Name;
  llvm::StringLiteral Summary; ///< one line, no full stop
  /// "<location>", "[<position>]", or "". A choice without brackets at its
  /// beginning ("ctf|perfetto") goes on from the name: in the shell the trace
  /// comes after it.
  llvm::StringLiteral Arguments = "";
  /// What it does, with examples: lines of "  rewind ...", or "  (lldb) rewind
  /// ..." for those that are for LLDB only. A test runs them on the sample.
  llvm::StringLiteral Help;
  llvm::ArrayRef<OptionSpec> Options = {};
  unsigned MinArguments = 0;
  unsigned MaxArguments = ~0u;
  /// One of these two; what runs on a file needs no store, so none is built.
  llvm::Error (*Run)(Session &S, const ParsedOptions &Options) = nullptr;
  llvm::Error (*RunOnFile)(const FileRequest &Request) = nullptr;
  /// With Run: in the shell, called before the trace is opened, which may take
  /// long. What it returns is gone when the command runs.
  std::shared_ptr<void> (*WhileOpening)(const ParsedOptions &Options) = nullptr;
  /// With RunOnFile: nor a trace. What it reads are its arguments.
  bool WithoutTrace = false;
  /// It waits for others at the terminal: not in a debugger.
  bool ShellOnly = false;
  /// It reads the trace, its index and its images and no other file, and makes
  /// none, unless an option names one (Completion::isFile). Only these may be
  /// run by whoever is not the user.
  bool OnlyAsks = false;
};

/// All commands, in the order in which help lists them.
llvm::ArrayRef<const Command *> commands();

/// The choice at the beginning of the command's arguments; empty if there is
/// none.
llvm::StringRef choice(const Command &C);

/// The command whose name (one or two words) \p Words begins with, or null.
/// \p Used tells how many words the name took.
const Command *findCommand(llvm::ArrayRef<llvm::StringRef> Words,
                           unsigned &Used);

/// Whether it shows values, in a style that one may choose (opt::Format,
/// opt::Raw).
bool showsValues(const Command &C);

/// What a user types for the command: "last-write <location> [options]", with
/// "<trace>" in the shell.
std::string usage(const Command &C, bool InShell);

/// Summary, usage, help text and options, as `help` shows them.
std::string helpText(const Command &C, bool InShell);

/// Parses \p Words (without the command's name) and runs the command.
llvm::Error runCommand(const Command &C, Session &S,
                       llvm::ArrayRef<llvm::StringRef> Words);
llvm::Error runCommand(const Command &C, Session &S,
                       const ParsedOptions &Options);

} // namespace rw

#endif // REWIND_COMMANDS_COMMAND_H
