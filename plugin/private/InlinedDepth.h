//===- InlinedDepth.h - Outside of inlined calls ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_INLINEDDEPTH_H
#define REWIND_PLUGIN_PRIVATE_INLINEDDEPTH_H

#include "lldb/API/SBThread.h"

namespace rw {

/// When \p Thread stops at \p PC next, its innermost frame is shown in front of
/// the \p Calls innermost inlined calls that begin there, as after a step of
/// LLDB itself; it shows other stops inside. Uses private headers of LLDB: with
/// another one nothing is touched.
void showOutside(lldb::SBThread Thread, uint64_t PC, unsigned Calls);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_INLINEDDEPTH_H
