//===- PrivateThread.cpp - What LLDB remembers of a thread ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/PrivateThread.h"
#include "lldb/API/SBProcess.h"
#include "lldb/Target/Process.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/StackFrameList.h"
#include "lldb/Target/StopInfo.h"
#include "lldb/Target/Thread.h"
#include "lldb/Target/Unwind.h"
#include "plugin/private/PrivateLLDB.h"

using namespace lldb;

namespace rw {
using lldb_private::Thread;

struct FrameMutex {
  typedef std::recursive_mutex Thread::*type;
  friend type memberOf(FrameMutex);
};
template struct Expose<FrameMutex, &Thread::m_frame_mutex>;

struct CurrentFrames {
  typedef StackFrameListSP Thread::*type;
  friend type memberOf(CurrentFrames);
};
template struct Expose<CurrentFrames, &Thread::m_curr_frames_sp>;

struct PreviousFrames {
  typedef StackFrameListSP Thread::*type;
  friend type memberOf(PreviousFrames);
};
template struct Expose<PreviousFrames, &Thread::m_prev_frames_sp>;

struct UnwoundFrames {
  typedef StackFrameListSP Thread::*type;
  friend type memberOf(UnwoundFrames);
};
template struct Expose<UnwoundFrames, &Thread::m_unwinder_frames_sp>;

struct FramesById {
  typedef llvm::DenseMap<frame_list_id_t, StackFrameListWP> Thread::*type;
  friend type memberOf(FramesById);
};
template struct Expose<FramesById, &Thread::m_frame_lists_by_id>;

struct UnwinderOf {
  typedef std::unique_ptr<lldb_private::Unwind> Thread::*type;
  friend type memberOf(UnwinderOf);
};
template struct Expose<UnwinderOf, &Thread::m_unwinder_up>;

struct StopOf {
  typedef StopInfoSP Thread::*type;
  friend type memberOf(StopOf);
};
template struct Expose<StopOf, &Thread::m_stop_info_sp>;

struct StopIdOf {
  typedef uint32_t Thread::*type;
  friend type memberOf(StopIdOf);
};
template struct Expose<StopIdOf, &Thread::m_stop_info_stop_id>;

struct LastIndexOf {
  typedef uint32_t lldb_private::Process::*type;
  friend type memberOf(LastIndexOf);
};
template struct Expose<LastIndexOf, &lldb_private::Process::m_thread_index_id>;

struct IndexesOf {
  typedef std::map<uint64_t, uint32_t> lldb_private::Process::*type;
  friend type memberOf(IndexesOf);
};
template struct Expose<IndexesOf,
                       &lldb_private::Process::m_thread_id_to_index_id_map>;

void numberThreads(SBTarget Target, llvm::ArrayRef<tid_t> Ids) {
  if (!privateLLDB())
    return;
  ProcessSP P = processOf(Target.GetProcess());
  if (!P)
    return;
  auto &Indexes = P.get()->*memberOf(IndexesOf());
  uint32_t &Last = P.get()->*memberOf(LastIndexOf());
  for (tid_t Id : Ids)
    if (Indexes.try_emplace(Id, Last + 1).second)
      ++Last;
}

static void setFrames(Thread &T, StackFrameListSP Current,
                      StackFrameListSP *Previous) {
  std::lock_guard<std::recursive_mutex> Lock(T.*memberOf(FrameMutex()));
  (T.*memberOf(CurrentFrames())).swap(Current);
  if (Previous)
    T.*memberOf(PreviousFrames()) = *Previous;
  if (auto &U = T.*memberOf(UnwinderOf()))
    U->Clear();
}

void forgetFrames(Thread &T) { setFrames(T, nullptr, nullptr); }

KeptThread::KeptThread(ThreadSP T)
    : Thread(std::move(T)), Current(Thread.get()->*memberOf(CurrentFrames())),
      Previous(Thread.get()->*memberOf(PreviousFrames())),
      Unwound(Thread.get()->*memberOf(UnwoundFrames())),
      ById(Thread.get()->*memberOf(FramesById())),
      Stop(Thread.get()->*memberOf(StopOf())),
      StopId(Thread.get()->*memberOf(StopIdOf())) {}

void KeptThread::putAside() {
  StackFrameListSP None;
  setFrames(*Thread, nullptr, &None);
  Thread->GetRegisterContext()->InvalidateAllRegisters();
}

void KeptThread::restore() {
  StackFrameListSP Before = Previous;
  setFrames(*Thread, Current, &Before);
  Thread.get()->*memberOf(UnwoundFrames()) = Unwound;
  Thread.get()->*memberOf(FramesById()) = ById;
  Thread->GetRegisterContext()->InvalidateAllRegisters();
  Thread.get()->*memberOf(StopOf()) = Stop;
  Thread.get()->*memberOf(StopIdOf()) = StopId;
  // The callers' registers of frames that are there look for where they were
  // saved in what the unwinder has found so far.
  auto &U = Thread.get()->*memberOf(UnwinderOf());
  if (Current && U)
    U->GetFrameCount();
}
} // namespace rw
