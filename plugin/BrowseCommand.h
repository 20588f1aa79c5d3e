//===- BrowseCommand.h - rewind browse, within LLDB -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_BROWSECOMMAND_H
#define REWIND_PLUGIN_BROWSECOMMAND_H

#include "commands/support/Session.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

class LoadedTrace;

/// Runs the shell's `rewind browse` on the terminal, on the same trace, index
/// and images, beginning at \p Here, and waits for its end. It is a process of
/// its own: LLDB has another ncurses in its process than ours. Returns where it
/// was left. \p Words are options of it. An Error: there is no terminal, or no
/// `rewind` beside the plugin, or what it said when it failed.
llvm::Expected<Place> browseTrace(lldb::SBDebugger Debugger,
                                  const LoadedTrace &Trace, Place Here,
                                  llvm::ArrayRef<llvm::StringRef> Words);

} // namespace rw

#endif // REWIND_PLUGIN_BROWSECOMMAND_H
