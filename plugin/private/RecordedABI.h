//===- RecordedABI.h - Conventions of a program without values --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_RECORDEDABI_H
#define REWIND_PLUGIN_PRIVATE_RECORDEDABI_H

#include "lldb/API/SBTarget.h"
#include <cstdint>

namespace rw {

/// Puts itself between LLDB and what it knows of the target's calling
/// conventions:
///  * Frames are told apart by the id of toldFrame() where an address does not
///    do. LLDB would use an invented address for local variables.
///  * In a trace without \p Values, there is no return value after `finish`.
///    Where its register is unavailable, LLDB shows zero.
/// Uses private headers of LLDB: with another one nothing is touched.
void useRecordedABI(lldb::SBTarget Target, bool Values);

/// The frame that LLDB's unwinder has last been told of in this thread.
struct ToldFrame {
  uint64_t Address = ~uint64_t(0); ///< LLDB's invalid one if there is none
  uint64_t Id = ~uint64_t(0);      ///< stands for it where frames are compared
};
ToldFrame &toldFrame();

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_RECORDEDABI_H
