//===- CallerRegisters.h - Registers of a frame of calls --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_CALLERREGISTERS_H
#define REWIND_PLUGIN_CALLERREGISTERS_H

#include "lldb/lldb-forward.h"
#include <cstdint>

namespace rw {

/// The registers of a caller of which nothing is known but that it goes on at
/// \p PC. LLDB crashes where a frame has none at all. Uses private headers of
/// LLDB.
lldb::RegisterContextSP makeCallerRegisters(lldb_private::Thread &Thread,
                                            uint32_t Frame, uint64_t PC);

} // namespace rw

#endif // REWIND_PLUGIN_CALLERREGISTERS_H
