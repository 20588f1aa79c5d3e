//===- CommandContext.cpp - What a command works on -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/CommandContext.h"
#include "lldb/API/SBProcess.h"
#include "lldb/Interpreter/CommandInterpreter.h"
#include "lldb/Target/ExecutionContext.h"
#include "lldb/Target/Thread.h"
#include "plugin/private/PrivateCommands.h"
#include "plugin/private/PrivateLLDB.h"

using namespace lldb;

namespace rw {
using lldb_private::CommandInterpreter;

struct GivenContexts {
  typedef std::stack<lldb_private::ExecutionContext> CommandInterpreter::*type;
  friend type memberOf(GivenContexts);
};
template struct Expose<GivenContexts,
                       &CommandInterpreter::m_overriden_exe_contexts>;
struct ContextThread {
  typedef ThreadSP lldb_private::ExecutionContext::*type;
  friend type memberOf(ContextThread);
};
template struct Expose<ContextThread,
                       &lldb_private::ExecutionContext::m_thread_sp>;
struct ContextFrame {
  typedef StackFrameSP lldb_private::ExecutionContext::*type;
  friend type memberOf(ContextFrame);
};
template struct Expose<ContextFrame,
                       &lldb_private::ExecutionContext::m_frame_sp>;
} // namespace rw

using namespace rw;

/// Null if the command was given none.
static lldb_private::ExecutionContext *given(SBDebugger Debugger) {
  if (!privateLLDB())
    return nullptr;
  SBCommandInterpreter Interpreter = Debugger.GetCommandInterpreter();
  auto &All =
      (Interpreter.*memberOf(InterpreterOf()))->*memberOf(GivenContexts());
  return All.empty() ? nullptr : &All.top();
}

/// That for a command about \p Target.
static lldb_private::ExecutionContext *givenFor(SBTarget Target) {
  auto *Given = given(Target.GetDebugger());
  return Given && Given->GetTargetSP() == targetOf(Target) ? Given : nullptr;
}

SBTarget rw::commandTarget(SBDebugger Debugger) {
  const auto *Given = given(Debugger);
  return Given && Given->GetTargetSP() ? publicTarget(Given->GetTargetSP())
                                       : Debugger.GetSelectedTarget();
}

SBThread rw::commandThread(SBTarget Target) {
  SBProcess Process = Target.GetProcess();
  const auto *Given = givenFor(Target);
  return Given && Given->GetThreadSP()
             ? Process.GetThreadByID(Given->GetThreadSP()->GetID())
             : Process.GetSelectedThread();
}

SBFrame rw::commandFrame(SBTarget Target) {
  const auto *Given = givenFor(Target);
  return Given && Given->GetFrameSP()
             ? publicFrame(Given->GetFrameSP())
             : commandThread(Target).GetSelectedFrame();
}

void rw::renewContext(SBTarget Target) {
  lldb_private::ExecutionContext *Given = givenFor(Target);
  if (!Given || !Given->GetThreadSP())
    return;
  SBThread Selected = Target.GetProcess().GetSelectedThread();
  const ThreadSP Thread = threadOf(Selected);
  const uint32_t Frame = Selected.GetSelectedFrame().GetFrameID();
  if (!Thread || Frame == UINT32_MAX)
    return;
  Given->*memberOf(ContextThread()) = Thread;
  Given->*memberOf(ContextFrame()) = Thread->GetStackFrameAtIndex(Frame);
}
