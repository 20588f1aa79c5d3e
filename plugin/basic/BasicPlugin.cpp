//===- BasicPlugin.cpp - What stands for what is left out -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Completion.h"
#include "plugin/DebuggerCommand.h"
#include "plugin/WhatIsLeftOut.h"

using namespace llvm;

StringRef rw::whatIsLeftOut() {
  return "this is the quickstart's first plugin, which lacks slices, profiles, "
         "HTR, exports, the page and other formats than Tarmac; scripts/build "
         "builds the whole one";
}

ArrayRef<const rw::DebuggerCommand *> rw::debuggerCommands() {
  static constexpr const DebuggerCommand *All[] = {&LldbLoad, &LldbBrowse,
                                                   &LldbHelp};
  return All;
}

// The registry has no command whose words they would complete.
void rw::Completion::layers() {}

void rw::Completion::passes() {}
