//===- StateVisit.cpp - Looking at another time ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/StateVisit.h"
#include "core/store/TraceStore.h"
#include "lldb/API/LLDB.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Thread.h"
#include "plugin/LoadedTrace.h"
#include "plugin/private/PrivateLLDB.h"
#include "plugin/private/PrivateThread.h"

using namespace lldb;

namespace rw {
using lldb_private::Process;
using lldb_private::ThreadList;

struct ProcessTime {
  typedef lldb_private::ProcessModID Process::*type;
  friend type memberOf(ProcessTime);
};
template struct Expose<ProcessTime, &Process::m_mod_id>;

struct ThreadsTime {
  typedef uint32_t ThreadList::*type;
  friend type memberOf(ThreadsTime);
};
template struct Expose<ThreadsTime, &ThreadList::m_stop_id>;

struct StateVisit::Kept {
  ProcessSP P;
  lldb_private::ProcessModID Time;
  Instant Here;
  std::vector<KeptThread> Threads;

  void setTime(const lldb_private::ProcessModID &To) {
    P.get()->*memberOf(ProcessTime()) = To;
    // Else LLDB would ask for the threads, and take their pcs from the last
    // stop.
    P->GetThreadList().*memberOf(ThreadsTime()) = To.GetStopID();
  }
};

StateVisit::StateVisit(SBTarget T, LoadedTrace &Trace)
    : Target(T), Trace(Trace), API(T.GetAPIMutex()) {
  API.lock();
}

StateVisit::~StateVisit() {
  if (Home) {
    Trace.engine().look(Home->Here);
    Home->setTime(Home->Time);
    for (KeptThread &T : Home->Threads)
      T.restore();
  }
  API.unlock();
}

llvm::Expected<SBThread> StateVisit::to(Place Where) {
  if (std::string Other = otherLLDB(); !Other.empty())
    return llvm::createStringError(
        "expressions cannot be evaluated at other times: " + Other);
  SBProcess Process = Target.GetProcess();
  if (Process.GetState() != eStateStopped)
    return llvm::createStringError("the process is not stopped");
  const auto &Threads = Trace.store().header().Threads;
  if (!Home) {
    ProcessSP P = processOf(Process);
    Home.reset(new Kept{P, P->GetModID(), Trace.engine().here(), {}});
    for (uint32_t I = 0; I < Process.GetNumThreads(); ++I) {
      SBThread Thread = Process.GetThreadAtIndex(I);
      if (ThreadSP T = threadOf(Thread))
        Home->Threads.emplace_back(std::move(T));
    }
  }
  Trace.engine().look({Where.When, Where.Thread});
  // Whatever LLDB remembers is of another stop now.
  lldb_private::ProcessModID Next = Home->P->GetModID();
  Next.BumpStopID();
  Home->setTime(Next);
  for (KeptThread &T : Home->Threads)
    T.putAside();
  SBThread Thread = Where.Thread < Threads.size()
                        ? Process.GetThreadByID(Threads[Where.Thread].Id)
                        : SBThread();
  if (!Thread.IsValid())
    return llvm::createStringError("LLDB has no such thread");
  return Thread;
}
} // namespace rw
