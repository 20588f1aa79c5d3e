//===- InterpretedExpressions.cpp - Expressions without running ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/InterpretedExpressions.h"
#include "lldb/API/SBProcess.h"
#include "lldb/Target/Process.h"
#include "plugin/private/PrivateLLDB.h"

using namespace lldb;

namespace rw {
/// Names the type of a member that has no name of its own.
struct JITMember : lldb_private::Process {
  using Type = decltype(m_can_jit);
  static constexpr Type No = eCanJITNo;
};
struct ProcessCanJIT {
  typedef JITMember::Type lldb_private::Process::*type;
  friend type memberOf(ProcessCanJIT);
};
template struct Expose<ProcessCanJIT, &lldb_private::Process::m_can_jit>;
} // namespace rw

void rw::interpretExpressions(SBTarget Target) {
  if (!privateLLDB())
    return;
  if (ProcessSP P = processOf(Target.GetProcess()))
    P.get()->*memberOf(ProcessCanJIT()) = JITMember::No;
}
