//===- CommandContext.h - What a command works on ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_COMMANDCONTEXT_H
#define REWIND_PLUGIN_PRIVATE_COMMANDCONTEXT_H

#include "lldb/API/SBDebugger.h"
#include "lldb/API/SBFrame.h"
#include "lldb/API/SBTarget.h"
#include "lldb/API/SBThread.h"

namespace rw {

/// What a command works on is what LLDB was given with it: the commands of a
/// breakpoint run where that was hit, and a script may name a target, a thread
/// or a frame (SBExecutionContext). Else it is what is selected, and in another
/// LLDB always. For the thread that runs the command.
lldb::SBTarget commandTarget(lldb::SBDebugger Debugger);
/// In \p Target; invalid if it has no process.
lldb::SBThread commandThread(lldb::SBTarget Target);
/// In \p Target; invalid if it has no process.
lldb::SBFrame commandFrame(lldb::SBTarget Target);

/// To be called if a command has waited until \p Target's process stopped: what
/// LLDB was given with it was selected before that, as it gives with each line
/// that is piped to it. It becomes what is selected now.
void renewContext(lldb::SBTarget Target);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_COMMANDCONTEXT_H
