//===- RunState.cpp - What LLDB makes of a run ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses private headers of LLDB (see TraceAdapter.cpp).
//
//===----------------------------------------------------------------------===//

#include "plugin/private/RunState.h"
#include "lldb/API/LLDB.h"
#include "lldb/Core/Debugger.h"
#include "lldb/Core/Statusline.h"
#include "lldb/Host/HostNativeThreadBase.h"
#include "lldb/Host/HostThread.h"
#include "lldb/Target/Process.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/PrivateCommands.h"
#include <pthread.h>

namespace rw {
using lldb_private::Debugger;
using lldb_private::HostThread;
using lldb_private::Process;
using lldb_private::Statusline;

struct PrivateStateOf {
  typedef lldb_private::ThreadSafeValue<lldb::StateType> Process::*type;
  friend type memberOf(PrivateStateOf);
};
template struct Expose<PrivateStateOf, &Process::m_private_state>;

struct EventThreadOf {
  typedef HostThread Debugger::*type;
  friend type memberOf(EventThreadOf);
};
template struct Expose<EventThreadOf, &Debugger::m_event_handler_thread>;

struct NativeThreadOf {
  typedef std::shared_ptr<lldb_private::HostNativeThreadBase> HostThread::*type;
  friend type memberOf(NativeThreadOf);
};
template struct Expose<NativeThreadOf, &HostThread::m_native_thread>;

struct StatuslineOf {
  typedef std::optional<Statusline> Debugger::*type;
  friend type memberOf(StatuslineOf);
};
template struct Expose<StatuslineOf, &Debugger::m_statusline>;

struct StatuslineMutex {
  typedef std::mutex Debugger::*type;
  friend type memberOf(StatuslineMutex);
};
template struct Expose<StatuslineMutex, &Debugger::m_statusline_mutex>;

struct ShownContext {
  typedef lldb_private::ExecutionContextRef Statusline::*type;
  friend type memberOf(ShownContext);
};
template struct Expose<ShownContext, &Statusline::m_exe_ctx_ref>;

struct MutexOf {
  typedef std::shared_ptr<std::recursive_mutex> lldb::SBMutex::*type;
  friend type memberOf(MutexOf);
};
template struct Expose<MutexOf, &lldb::SBMutex::m_opaque_sp>;

struct EventOf {
  typedef lldb::EventSP lldb::SBEvent::*type;
  friend type memberOf(EventOf);
};
template struct Expose<EventOf, &lldb::SBEvent::m_event_sp>;

struct CommandStateOf {
  friend auto memberOf(CommandStateOf);
};
template struct ExposeAny<CommandStateOf,
                          &lldb_private::CommandInterpreter::m_command_state>;
} // namespace rw

using namespace rw;

namespace {
struct ThreadContext : lldb::SBExecutionContext {
  explicit ThreadContext(lldb::SBThread T) : lldb::SBExecutionContext(T) {}
  lldb_private::ExecutionContextRef *get() const {
    return lldb::SBExecutionContext::get();
  }
};
} // namespace

static Debugger &debuggerOf(lldb::SBDebugger D) {
  lldb::SBCommandInterpreter Interpreter = D.GetCommandInterpreter();
  return (Interpreter.*memberOf(InterpreterOf()))->GetDebugger();
}

bool rw::lastStopIsKnown(lldb::SBProcess Process, const LoadedTrace &Trace) {
  if (!privateLLDB())
    return true;
  lldb::ProcessSP P = processOf(Process);
  // In this order: where LLDB has resumed and stopped again the replay has
  // moved.
  return P &&
         (P.get()->*memberOf(PrivateStateOf())).GetValue() ==
             lldb::eStateStopped &&
         Trace.lastStopIsPublic();
}

EventTaker rw::eventTaker(lldb::SBDebugger D) {
  if (!privateLLDB())
    return EventTaker::Others;
  auto Thread =
      debuggerOf(D).*memberOf(EventThreadOf()).*memberOf(NativeThreadOf());
  if (!Thread || !Thread->IsJoinable())
    return EventTaker::Others;
  return Thread->EqualsThread(::pthread_self()) ? EventTaker::ThisThread
                                                : EventTaker::LLDB;
}

bool rw::isInUse(const lldb::SBEvent &Event) {
  return privateLLDB() && (Event.*memberOf(EventOf())).use_count() > 1;
}

UnlockedTargets::UnlockedTargets(lldb::SBDebugger D) {
  if (!privateLLDB())
    return;
  for (uint32_t I = 0; I < D.GetNumTargets(); ++I) {
    const lldb::SBMutex API = D.GetTargetAtIndex(I).GetAPIMutex();
    const auto &Mutex = API.*memberOf(MutexOf());
    // POSIX: whoever has not locked a recursive mutex is told so.
    while (Mutex && !::pthread_mutex_unlock(Mutex->native_handle()))
      Locked.push_back(API);
  }
}

UnlockedTargets::~UnlockedTargets() {
  for (const lldb::SBMutex &API : Locked)
    API.lock();
}

bool rw::commandRuns(lldb::SBDebugger D) {
  if (!privateLLDB())
    return false;
  auto &State =
      debuggerOf(D).GetCommandInterpreter().*memberOf(CommandStateOf());
  return State.load() != decltype(State.load()){};
}

bool rw::hasStatusLine(lldb::SBDebugger D) {
  if (!privateLLDB() || !D.IsValid())
    return false;
  Debugger &Private = debuggerOf(D);
  std::unique_lock<std::mutex> Lock(Private.*memberOf(StatuslineMutex()),
                                    std::try_to_lock);
  // Who holds it draws one.
  return !Lock || (Private.*memberOf(StatuslineOf())).has_value();
}

void rw::showStatusLine(lldb::SBDebugger D, bool Shown) {
  lldb::SBDebugger::SetInternalVariable(
      "show-statusline", Shown ? "true" : "false", D.GetInstanceName());
}

bool rw::showInStatusLine(lldb::SBDebugger D, lldb::SBThread Thread) {
  if (!privateLLDB() || !Thread.IsValid())
    return false;
  Debugger &Private = debuggerOf(D);
  std::lock_guard<std::mutex> Lock(Private.*memberOf(StatuslineMutex()));
  auto &Line = Private.*memberOf(StatuslineOf());
  if (Line)
    (*Line).*memberOf(ShownContext()) = *ThreadContext(Thread).get();
  return Line.has_value();
}
