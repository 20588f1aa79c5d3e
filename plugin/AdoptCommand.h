//===- AdoptCommand.h - rewind adopt ----------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_ADOPTCOMMAND_H
#define REWIND_PLUGIN_ADOPTCOMMAND_H

#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// Reads the trace that LLDB itself has loaded into the selected target, and
/// makes a replay of it, which is selected.
llvm::Error adoptTrace(lldb::SBDebugger Debugger,
                       llvm::ArrayRef<llvm::StringRef> Words,
                       llvm::raw_ostream &Out);
std::string adoptHelp();

} // namespace rw

#endif // REWIND_PLUGIN_ADOPTCOMMAND_H
