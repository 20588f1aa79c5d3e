//===- DebuggerCommand.h - Commands that only LLDB has ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of LLDB's `rewind` that are not in the registry of commands/: they load
// a recording, or are about the debugger itself.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_DEBUGGERCOMMAND_H
#define REWIND_PLUGIN_DEBUGGERCOMMAND_H

#include "commands/Command.h"
#include "lldb/API/SBDebugger.h"

namespace rw {

struct DebuggerRequest {
  lldb::SBDebugger Debugger;
  llvm::ArrayRef<llvm::StringRef> Words; ///< behind the command's name
  llvm::raw_ostream &Out;
  std::function<void(const std::string &)> Warn; ///< of what is odd
};

struct DebuggerCommand {
  /// Its name, summary, arguments and, in Help, an example for the list of
  /// commands; what runs it, its help and its options are the members below.
  Command Words;
  llvm::Error (*Run)(const DebuggerRequest &Request);
  /// What `help` prints below the summary. May be null, as the next.
  std::string (*Help)() = nullptr;
  std::vector<llvm::ArrayRef<OptionSpec>> (*Options)() = nullptr;
};

/// Opens (and if need be indexes) a trace, makes a target and a replay process
/// of it, and selects it. An error leaves nothing behind.
extern const DebuggerCommand LldbLoad;

/// Reads the trace that LLDB itself has loaded into the selected target, and
/// makes a replay of it, which is selected.
extern const DebuggerCommand LldbAdopt;

/// Serves pages of the trace from threads of their own until the debugger ends
/// or --stop is said, and prints their URL; the same one if they are served
/// already. --list and --stop are also for what is no more.
extern const DebuggerCommand LldbView;

/// Runs the shell's `rewind browse` on the terminal, on the same trace, index
/// and images, waits for its end, and goes where it was left. It is a process
/// of its own: LLDB has another ncurses in its process than ours.
extern const DebuggerCommand LldbBrowse;

extern const DebuggerCommand LldbHelp;

/// Those that this plugin has, in the order in which help lists them.
llvm::ArrayRef<const DebuggerCommand *> debuggerCommands();

} // namespace rw

#endif // REWIND_PLUGIN_DEBUGGERCOMMAND_H
