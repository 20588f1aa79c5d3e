//===- ViewCommand.h - rewind view, within LLDB -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_VIEWCOMMAND_H
#define REWIND_PLUGIN_VIEWCOMMAND_H

#include "core/support/OptionSpec.h"
#include "lldb/API/SBTarget.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <string>

namespace rw {

class LoadedTrace;

/// Serves pages of the trace from threads of their own until the debugger ends
/// or --stop is said, and prints their URL; the same one if they are served
/// already. Only then \p Selected is asked: --list and --stop are also for what
/// is no more. \p Warn is told what is odd.
llvm::Error viewTrace(
    lldb::SBDebugger Debugger, lldb::SBTarget Target,
    llvm::function_ref<llvm::Expected<std::shared_ptr<LoadedTrace>>()> Selected,
    llvm::ArrayRef<llvm::StringRef> Words, llvm::raw_ostream &Out,
    const std::function<void(const std::string &)> &Warn);

std::string viewHelp();
/// Those that the shell's rewind view has not.
llvm::ArrayRef<OptionSpec> viewLldbOptions();

} // namespace rw

#endif // REWIND_PLUGIN_VIEWCOMMAND_H
