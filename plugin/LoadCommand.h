//===- LoadCommand.h - rewind load -----------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_LOADCOMMAND_H
#define REWIND_PLUGIN_LOADCOMMAND_H

#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// Opens (and if need be indexes) a trace, makes a target and a replay process
/// of it, and selects it. An error leaves nothing behind.
llvm::Error loadTrace(lldb::SBDebugger Debugger,
                      llvm::ArrayRef<llvm::StringRef> Words,
                      llvm::raw_ostream &Out);

/// The help text of `rewind load`.
std::string loadHelp();

} // namespace rw

#endif // REWIND_PLUGIN_LOADCOMMAND_H
