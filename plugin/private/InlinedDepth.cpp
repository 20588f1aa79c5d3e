//===- InlinedDepth.cpp - Outside of inlined calls ------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/InlinedDepth.h"
#include "lldb/Target/StackFrameList.h"
#include "lldb/Target/Thread.h"
#include "plugin/private/PrivateLLDB.h"

using namespace lldb;
using lldb_private::StackFrameList;

namespace rw {
struct FramesOf {
  typedef StackFrameListSP lldb_private::Thread::*type;
  friend type memberOf(FramesOf);
};
template struct Expose<FramesOf, &lldb_private::Thread::m_curr_frames_sp>;

struct DepthOf {
  typedef uint32_t StackFrameList::*type;
  friend type memberOf(DepthOf);
};
template struct Expose<DepthOf, &StackFrameList::m_current_inlined_depth>;

struct DepthPC {
  typedef addr_t StackFrameList::*type;
  friend type memberOf(DepthPC);
};
template struct Expose<DepthPC, &StackFrameList::m_current_inlined_pc>;

struct DepthMutex {
  typedef std::mutex StackFrameList::*type;
  friend type memberOf(DepthMutex);
};
template struct Expose<DepthMutex, &StackFrameList::m_inlined_depth_mutex>;
} // namespace rw

void rw::showOutside(SBThread Thread, uint64_t PC, unsigned Calls) {
  if (!Calls || !privateLLDB())
    return;
  // A list of frames takes the depth over from the one before, if that was
  // complete, and keeps it as long as the pc is the one that it belongs to.
  Thread.GetNumFrames();
  ThreadSP T = threadOf(Thread);
  StackFrameListSP Frames = T ? T.get()->*memberOf(FramesOf()) : nullptr;
  if (!Frames)
    return;
  std::lock_guard<std::mutex> Lock(Frames.get()->*memberOf(DepthMutex()));
  Frames.get()->*memberOf(DepthOf()) = Calls;
  Frames.get()->*memberOf(DepthPC()) = PC;
}
