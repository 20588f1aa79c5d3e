//===- WholePlugin.cpp - That nothing is left out -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/DebuggerCommand.h"
#include "plugin/WhatIsLeftOut.h"

llvm::StringRef rw::whatIsLeftOut() { return ""; }

llvm::ArrayRef<const rw::DebuggerCommand *> rw::debuggerCommands() {
  static constexpr const DebuggerCommand *All[] = {
      &LldbLoad, &LldbAdopt, &LldbView, &LldbBrowse, &LldbHelp};
  return All;
}
