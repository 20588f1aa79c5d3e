//===- AwaitedFrame.h - What LLDB's steps wait for --------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_AWAITEDFRAME_H
#define REWIND_PLUGIN_PRIVATE_AWAITEDFRAME_H

#include "core/replay/CallFrames.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"

namespace rw {

/// The frame that the innermost step under way in \p Thread runs for; nothing
/// if there is none. Uses private headers of LLDB.
std::optional<AwaitedFrame> awaitedFrame(lldb_private::Thread &Thread);

/// Whether the thread \p Id is to run, and has no more to do before than to get
/// off breakpoints. Waits for no one. Uses private headers of LLDB.
bool hasNoSteps(lldb_private::Process &Its, lldb::tid_t Id);

/// Ends the steps under way in \p Thread, which has stopped: LLDB would go on
/// with them at the user's next command. Uses private headers of LLDB.
void discardSteps(lldb_private::Thread &Thread);

/// Whether \p Thread has just done a step that the user asked for: not whether
/// it ran to somewhere (`finish`, `thread until`). Uses private headers of
/// LLDB.
bool hasStepped(lldb_private::Thread &Thread);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_AWAITEDFRAME_H
