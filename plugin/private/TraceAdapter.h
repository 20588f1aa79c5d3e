//===- TraceAdapter.h - Our traces behind LLDB's trace API -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_TRACEADAPTER_H
#define REWIND_PLUGIN_PRIVATE_TRACEADAPTER_H

#include "lldb/API/SBTarget.h"
#include <memory>
#include <string>

namespace rw {

class LoadedTrace;

/// Hangs \p Trace on the target, so that `thread trace dump ...`,
/// SBTarget.GetTrace() and SBTraceCursor work on it. Uses private headers of
/// LLDB: if the running LLDB is not the one that this was compiled against,
/// nothing is touched and one line that says so is returned.
std::string attachTrace(lldb::SBTarget Target,
                        std::shared_ptr<LoadedTrace> Trace);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_TRACEADAPTER_H
