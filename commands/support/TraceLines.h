//===- TraceLines.h - The text of a session's trace -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_TRACELINES_H
#define REWIND_COMMANDS_SUPPORT_TRACELINES_H

#include "commands/support/Session.h"
#include "core/formats/tarmac/TraceText.h"

namespace rw {

/// The lines of the trace of \p S. An error if it is gone, or is not what the
/// store was made of: its lines would not be those of the instructions.
llvm::Expected<TraceText> traceLines(const Session &S);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_TRACELINES_H
