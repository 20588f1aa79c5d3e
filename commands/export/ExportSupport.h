//===- ExportSupport.h - What exports of calls share ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_EXPORT_EXPORTSUPPORT_H
#define REWIND_COMMANDS_EXPORT_EXPORTSUPPORT_H

#include "commands/calls/CallSupport.h"
#include "core/export/CallExport.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec CostTime{
    "time", 0, "", "count the trace's time instead of instructions"};
} // namespace opt

/// The options of an export that counts costs.
inline constexpr OptionSpec CostOptions[] = {opt::JsonOfFile, opt::CostTime,
                                             opt::Output, opt::Replace};

/// What --time says; an Error if the trace tells no time.
llvm::Expected<CostUnit> costUnit(Session &S, const ParsedOptions &O);

/// The name of the trace's file.
std::string exportTitle(const Session &S);

/// Opens what an export of calls needs, runs it, closes the output. With
/// \p Ttu, names are as the Tarmac Trace Utilities choose them.
llvm::Error exportCalls(
    Session &S, const ParsedOptions &O, bool Ttu,
    llvm::function_ref<llvm::Error(CallQuery &, llvm::raw_ostream &)> Run);

} // namespace rw

#endif // REWIND_COMMANDS_EXPORT_EXPORTSUPPORT_H
