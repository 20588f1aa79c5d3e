//===- Messages.h - Messages of the Debug Adapter Protocol ------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DAP_MESSAGES_H
#define REWIND_COMMANDS_DAP_MESSAGES_H

#include "core/support/ByteChannel.h"
#include "llvm/Support/JSON.h"
#include <optional>

namespace rw::dap {

/// The next message (DAP, "Base protocol": headers, an empty line, JSON);
/// nothing at the end. An Error says what is wrong with what came.
llvm::Expected<std::optional<llvm::json::Object>> receive(ByteChannel &From);
/// An Error if \p Message is neither a request nor a response: lldb-dap would
/// end.
llvm::Error checkOfClient(const llvm::json::Object &Message);
/// False if the other side has gone.
bool send(ByteChannel &To, llvm::json::Object Message);
/// What a request asks with: an empty object if it has no arguments.
const llvm::json::Object &argumentsOf(const llvm::json::Object &Message);
/// Whether a request is what a user has typed in the console.
bool inConsole(const llvm::json::Object &Request);

} // namespace rw::dap

#endif // REWIND_COMMANDS_DAP_MESSAGES_H
