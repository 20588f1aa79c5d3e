//===- LLDBCommands.h - LLDB's own commands ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_LLDBCOMMANDS_H
#define REWIND_PLUGIN_PRIVATE_LLDBCOMMANDS_H

#include "lldb/API/SBDebugger.h"

namespace rw {

/// Makes LLDB's own commands that need a process that stands wait until it
/// does, where it is a recording; and those that would change one say that it
/// cannot be changed. Uses private headers of LLDB: another one's commands fail
/// while the process runs.
void overrideCommands(lldb::SBDebugger Debugger);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_LLDBCOMMANDS_H
