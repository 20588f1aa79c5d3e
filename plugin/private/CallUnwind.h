//===- CallUnwind.h - Call stacks without a stack ---------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_CALLUNWIND_H
#define REWIND_PLUGIN_PRIVATE_CALLUNWIND_H

#include "lldb/API/SBTarget.h"
#include <memory>
#include <string>

namespace rw {

class LoadedTrace;

/// Makes LLDB take the frames of the target's threads from the call index, and
/// the registers of callers from the trace: LLDB's own unwinder has no
/// registers and no stack in some traces, and in others does not know all code.
/// Lets steps end where what they wait for is left without a return. Uses
/// private headers of LLDB: with another one nothing is touched, and what to
/// tell the user is returned.
std::string unwindByCalls(lldb::SBTarget Target,
                          std::shared_ptr<LoadedTrace> Trace);

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_CALLUNWIND_H
