//===- CallerRegisters.h - Registers of a frame of calls --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_CALLERREGISTERS_H
#define REWIND_PLUGIN_PRIVATE_CALLERREGISTERS_H

#include "core/store/StoreAnswers.h"
#include "lldb/lldb-forward.h"
#include <functional>

namespace rw {

/// Reads the registers of a thread as they were at a call; empty if the trace
/// has none, or does not show the call.
using RegistersBefore = std::function<llvm::Expected<RegisterState>()>;

/// The registers of a caller that goes on at \p PC: the others are those of the
/// call. LLDB crashes where a frame has none at all. Uses private headers of
/// LLDB.
lldb::RegisterContextSP makeCallerRegisters(lldb_private::Thread &Thread,
                                            uint32_t Frame, uint64_t PC,
                                            const TraceStore &Store,
                                            RegistersBefore State);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_CALLERREGISTERS_H
