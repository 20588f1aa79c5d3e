//===- RecordedABI.h - Conventions of a program without values --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_RECORDEDABI_H
#define REWIND_PLUGIN_RECORDEDABI_H

#include "lldb/API/SBTarget.h"
#include <cstdint>

namespace rw {

/// Puts itself between LLDB and what it knows of the target's calling
/// conventions, for traces that have no values:
///  * After `finish` there is no return value. Where its register is
///    unavailable, LLDB shows zero.
///  * Frames are told apart by frameNumber(), and have no frame address. LLDB
///    would use that for addresses of local variables.
/// Uses private headers of LLDB: with another one nothing is touched.
void useRecordedABI(lldb::SBTarget Target);

/// Of the frame that LLDB's unwinder has last been told of in this thread.
/// Lower in what was called, the same throughout an activation.
uint64_t &frameNumber();

} // namespace rw

#endif // REWIND_PLUGIN_RECORDEDABI_H
