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

static Error leftOut(StringRef Command) {
  return createStringError("no 'rewind " + Command +
                           "' yet: " + rw::whatIsLeftOut());
}

Error rw::adoptTrace(lldb::SBDebugger, ArrayRef<StringRef>, raw_ostream &) {
  return leftOut("adopt");
}

std::string rw::adoptHelp() { return whatIsLeftOut().str() + "\n"; }

Error rw::viewTrace(lldb::SBDebugger, lldb::SBTarget,
                    function_ref<Expected<std::shared_ptr<LoadedTrace>>()>,
                    ArrayRef<StringRef>, raw_ostream &,
                    const std::function<void(const std::string &)> &) {
  return leftOut("view");
}

std::string rw::viewHelp() { return whatIsLeftOut().str() + "\n"; }

ArrayRef<rw::OptionSpec> rw::viewLldbOptions() { return {}; }

void rw::Completion::layers() {}

void rw::Completion::passes() {}
