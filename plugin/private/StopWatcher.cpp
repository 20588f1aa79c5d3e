//===- StopWatcher.cpp - What happens at every stop -----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses private headers of LLDB (see TraceAdapter.cpp).
//
//===----------------------------------------------------------------------===//

#include "plugin/private/StopWatcher.h"
#include "core/store/TraceStore.h"
#include "lldb/API/LLDB.h"
#include "lldb/Symbol/SymbolContext.h"
#include "lldb/Target/OperatingSystem.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrameList.h"
#include "lldb/Target/Target.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/ThreadSpec.h"
#include "plugin/LoadedTrace.h"
#include "plugin/Navigation.h"
#include "plugin/private/AwaitedFrame.h"
#include "plugin/private/DebuggerState.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/PrivateThread.h"

using namespace lldb;

namespace rw {
using lldb_private::Process;
using lldb_private::Target;
using lldb_private::ThreadCollection;
using lldb_private::ThreadList;

struct StopHooks {
  typedef std::map<user_id_t, Target::StopHookSP> Target::*type;
  friend type memberOf(StopHooks);
};
template struct Expose<StopHooks, &Target::m_stop_hooks>;

struct NextStopHook {
  typedef user_id_t Target::*type;
  friend type memberOf(NextStopHook);
};
template struct Expose<NextStopHook, &Target::m_stop_hook_next_id>;

struct InternalStopHooks {
  typedef std::vector<Target::StopHookSP> Target::*type;
  friend type memberOf(InternalStopHooks);
};
template struct Expose<InternalStopHooks, &Target::m_internal_stop_hooks>;

struct ProcessOS {
  typedef OperatingSystemUP Process::*type;
  friend type memberOf(ProcessOS);
};
template struct Expose<ProcessOS, &Process::m_os_up>;

struct ThreadsOfList {
  typedef std::vector<ThreadSP> ThreadCollection::*type;
  friend type memberOf(ThreadsOfList);
};
template struct Expose<ThreadsOfList, &ThreadCollection::m_threads>;

struct SelectedOfList {
  typedef tid_t ThreadList::*type;
  friend type memberOf(SelectedOfList);
};
template struct Expose<SelectedOfList, &ThreadList::m_selected_tid>;
} // namespace rw

namespace lldb_private {
Target::StopHook::StopHook(TargetSP Target, user_id_t Id)
    : UserID(Id), m_target_sp(std::move(Target)) {}
OperatingSystem::OperatingSystem(Process *P) : m_process(P) {}
bool OperatingSystem::IsOperatingSystemPluginThread(const ThreadSP &) {
  return false;
}
} // namespace lldb_private

using namespace rw;

namespace {

using lldb_private::ExecutionContext;
using lldb_private::Stream;

ProcessSP processOf(ExecutionContext &Context) {
  lldb_private::Thread *T = Context.GetThreadPtr();
  return T ? T->GetProcess() : nullptr;
}

/// Called when a stop becomes public, before anyone is told of it, and for no
/// stop that LLDB goes on from by itself. Belongs to no target: that would be a
/// cycle.
class PublicStop : public Target::StopHook {
public:
  PublicStop(user_id_t Id, std::weak_ptr<LoadedTrace> Trace)
      : StopHook(nullptr, Id), Trace(std::move(Trace)) {
    SetSuppressOutput(true); // no header: LLDB would print one per hook
  }
  void GetSubclassDescription(Stream &S,
                              lldb::DescriptionLevel) const override {
    S.AsRawOstream() << "  print the position in time\n";
  }

protected:
  const std::weak_ptr<LoadedTrace> Trace;
};

/// Internal: neither listed nor deleted.
class EndOfJump final : public PublicStop {
public:
  using PublicStop::PublicStop;
  StopHookResult HandleStop(ExecutionContext &Context, StreamSP) override {
    auto T = Trace.lock();
    ProcessSP P = processOf(Context);
    if (!T || !P)
      return StopHookResult::NoPreference;
    ReplayEngine &Engine = T->engine();
    ThreadList &Threads = P->GetThreadList();
    // A run that was interrupted while threads were nowhere.
    const bool Nowhere = Engine.nowhere().has_value();
    const bool Jumped = Engine.endJump();
    std::lock_guard<std::recursive_mutex> Lock(Threads.GetMutex());
    if (Nowhere)
      for (const ThreadSP &Thread : Threads.*memberOf(ThreadsOfList())) {
        forgetFrames(*Thread);
        Thread->GetRegisterContext()->InvalidateAllRegisters();
      }
    // LLDB itself does so only for stops that it prints, and does not go to a
    // thread for a history boundary.
    const auto &Known = T->store().header().Threads;
    const ThreadIndex Here = Engine.here().Thread;
    const auto Why = Engine.lastStop().What;
    const bool Boundary =
        Why == ReplayStop::HistoryBegin || Why == ReplayStop::HistoryEnd;
    // No step gets over an end of the recording. One that is left under way
    // runs its thread alone, and so would `continue`.
    for (ThreadIndex I = 0; I < Known.size(); ++I)
      if (Boundary || Engine.atEnd(I))
        for (const ThreadSP &Thread : Threads.*memberOf(ThreadsOfList()))
          if (Thread->GetID() == Known[I].Id)
            discardSteps(*Thread);
    // The one that was selected when this run began.
    std::optional<ThreadIndex> Selected;
    for (ThreadIndex I = 0; I < Known.size(); ++I)
      if (Known[I].Id == Threads.*memberOf(SelectedOfList()))
        Selected = I;
    if ((Jumped || Boundary) && Here < Known.size())
      Threads.*memberOf(SelectedOfList()) = Known[Here].Id;
    if (auto LLDB = T->debuggerState())
      for (const std::string &Why : LLDB->putBack())
        T->print(Why);
    if (!T->quiet())
      T->cameTo({Here, Engine.here().When},
                Here < Known.size() && stepped(*P, Known[Here].Id, Engine),
                Selected);
    T->stopIsTold();
    return StopHookResult::NoPreference;
  }

private:
  /// Whether a step led here, forwards or back, and nothing else.
  static bool stepped(lldb_private::Process &P, tid_t Id,
                      ReplayEngine &Engine) {
    const ReplayStop Last = Engine.lastStop();
    if (Last.What == ReplayStop::Landing)
      return llvm::StringRef(Last.Text).starts_with("reverse step") ||
             llvm::StringRef(Last.Text).starts_with("reverse next");
    for (const ThreadSP &T : P.GetThreadList().*memberOf(ThreadsOfList()))
      if (T->GetID() == Id)
        return hasStepped(*T);
    return false;
  }
};

/// The user's: may be listed, disabled and deleted.
class PositionAtStop final : public PublicStop {
public:
  using PublicStop::PublicStop;
  StopHookResult HandleStop(ExecutionContext &Context, StreamSP Out) override {
    auto T = Trace.lock();
    ProcessSP P = processOf(Context);
    if (!T || !P || !Out || T->quiet())
      return StopHookResult::NoPreference;
    // It is called for each thread that has a reason.
    if (std::exchange(Told, P->GetStopID()) == P->GetStopID())
      return StopHookResult::NoPreference;
    if (T->takePlaceTold())
      return StopHookResult::NoPreference;
    // LLDB selects the thread that stopped only after the hooks have run.
    Instant Here = T->engine().here();
    if (llvm::Error E = printPosition(T->store(), {Here.Thread, Here.When},
                                      Out->AsRawOstream()))
      Out->AsRawOstream() << "error: " << llvm::toString(std::move(E)) << '\n';
    return StopHookResult::NoPreference;
  }

private:
  uint32_t Told = 0;
};

/// LLDB clears the stack frames when it resumes. Whoever asks for one while the
/// process runs (the status line does: it draws the frame that it drew last)
/// makes new ones, of the registers of the stop before, and LLDB takes them for
/// those of the next stop: its pc, and what conditions of breakpoints see, are
/// then wrong. An operating system plugin is asked for the threads at every
/// stop, before anything else is. Where LLDB has resumed nothing since, as when
/// it steps into an inlined call, the frames are right, and know how deep in
/// inlined calls it stands.
class NoFramesFromBefore final : public lldb_private::OperatingSystem {
public:
  using OperatingSystem::OperatingSystem;
  llvm::StringRef GetPluginName() override { return "rewind"; }
  bool UpdateThreadList(ThreadList &Old, ThreadList &Real,
                        ThreadList &New) override {
    New.*memberOf(ThreadsOfList()) = Real.*memberOf(ThreadsOfList());
    // LLDB prefers the selected thread where that has a reason to stop.
    New.*memberOf(SelectedOfList()) = Old.*memberOf(SelectedOfList());
    const uint32_t Resumed = m_process->GetResumeID();
    if (std::exchange(LastResumed, Resumed) == Resumed)
      return true;
    for (const ThreadSP &T : Real.*memberOf(ThreadsOfList()))
      forgetFrames(*T);
    return true;
  }
  void ThreadWasSelected(lldb_private::Thread *) override {}
  RegisterContextSP CreateRegisterContextForThread(lldb_private::Thread *,
                                                   addr_t) override {
    return nullptr;
  }
  StopInfoSP CreateThreadStopReason(lldb_private::Thread *) override {
    return nullptr;
  }
  bool DoesPluginReportAllThreads() override { return true; }

private:
  std::optional<uint32_t> LastResumed;
};

} // namespace

std::string rw::watchStops(SBTarget Target,
                           std::shared_ptr<LoadedTrace> Trace) {
  if (std::string Other = otherLLDB(); !Other.empty())
    return "stops do not tell the position, and `continue` after a reverse "
           "command may go back: " +
           Other;
  TargetSP T = targetOf(Target);
  ProcessSP P = processOf(Target.GetProcess());
  if (!T || !P)
    return "the target has no process";
  Trace->engine().expectEndOfJumps();
  const Instant Start = Trace->engine().here();
  Trace->cameTo({Start.Thread, Start.When}, /*Stepped=*/false);
  (T.get()->*memberOf(InternalStopHooks()))
      .push_back(std::make_shared<EndOfJump>(LLDB_INVALID_UID, Trace));
  const user_id_t Id = ++(T.get()->*memberOf(NextStopHook()));
  (T.get()->*memberOf(StopHooks()))[Id] =
      std::make_shared<PositionAtStop>(Id, Trace);
  // The thread that draws the status line may have asked for a register at a
  // stop that LLDB went on from, and keep the answer for one of the next stop.
  // By now it has: it is the one that tells of stops.
  std::vector<std::weak_ptr<lldb_private::Thread>> Threads;
  for (const ThreadSP &Thread : P->GetThreadList().*memberOf(ThreadsOfList()))
    Threads.push_back(Thread);
  Trace->setForgetRegisters([Threads] {
    for (const auto &Weak : Threads)
      if (ThreadSP Thread = Weak.lock())
        Thread->GetRegisterContext()->InvalidateAllRegisters();
  });
  P.get()->*memberOf(ProcessOS()) =
      std::make_unique<NoFramesFromBefore>(P.get());
  return "";
}
