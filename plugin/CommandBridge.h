//===- CommandBridge.h - Rewind's commands in LLDB ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_COMMANDBRIDGE_H
#define REWIND_PLUGIN_COMMANDBRIDGE_H

#include "lldb/API/SBDebugger.h"

namespace rw {

/// Adds `rewind ...` and the reverse verbs to a debugger's commands.
void registerCommands(lldb::SBDebugger Debugger);

} // namespace rw

#endif // REWIND_PLUGIN_COMMANDBRIDGE_H
