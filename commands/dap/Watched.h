//===- Watched.h - Data breakpoints of an IDE -------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_WATCHED_H
#define REWIND_COMMANDS_DAP_WATCHED_H

#include "llvm/Support/JSON.h"
#include <string>

namespace rw::dap {

/// Why lldb-dap is not to watch what it calls \p DataId, "4a0000/8"; empty: it
/// may.
std::string whyNotWatched(llvm::StringRef DataId);

/// Corrects the answer to a dataBreakpointInfo.
void describeWatched(llvm::json::Object &Body);

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_WATCHED_H
