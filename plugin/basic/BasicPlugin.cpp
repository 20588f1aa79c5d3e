//===- BasicPlugin.cpp - What stands for what is left out -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/Completion.h"
#include "plugin/AdoptCommand.h"
#include "plugin/ViewCommand.h"
#include "plugin/WhatIsLeftOut.h"

using namespace llvm;

StringRef rw::whatIsLeftOut() {
  return "this is the quickstart's first plugin, which lacks slices, profiles, "
         "HTR, exports, the page and other formats than Tarmac; scripts/build "
         "builds the whole one";
}

// These commands are not offered either, but what would run them is an object
// file that the whole plugin has, too.
Error rw::adoptTrace(lldb::SBDebugger, ArrayRef<StringRef>, raw_ostream &) {
  return createStringError(rw::whatIsLeftOut());
}

std::string rw::adoptHelp() { return ""; }

Error rw::viewTrace(lldb::SBDebugger, lldb::SBTarget,
                    function_ref<Expected<std::shared_ptr<LoadedTrace>>()>,
                    ArrayRef<StringRef>, raw_ostream &,
                    const std::function<void(const std::string &)> &) {
  return createStringError(rw::whatIsLeftOut());
}

std::string rw::viewHelp() { return ""; }

ArrayRef<rw::OptionSpec> rw::viewLldbOptions() { return {}; }

void rw::Completion::layers() {}

void rw::Completion::passes() {}
