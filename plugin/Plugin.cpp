//===- Plugin.cpp - What LLDB calls when it loads us ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lldb/API/LLDB.h"
#include "plugin/CommandBridge.h"

#define REWIND_EXPORT __attribute__((visibility("default")))

namespace lldb {
/// `plugin load` calls this once for each debugger that loads us.
REWIND_EXPORT bool PluginInitialize(SBDebugger Debugger) {
  rw::registerCommands(Debugger);
  return true;
}
} // namespace lldb

/// LLDB calls this when it finds us in its plugin folders at start; it calls
/// PluginInitialize as well, for every debugger.
extern "C" REWIND_EXPORT bool LLDBPluginInitialize() { return true; }
