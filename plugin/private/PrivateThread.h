//===- PrivateThread.h - What LLDB remembers of a thread --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H
#define REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H

#include "lldb/lldb-forward.h"

namespace rw {

/// Makes LLDB unwind the thread anew. For private headers, see
/// TraceAdapter.cpp.
void forgetFrames(lldb_private::Thread &Thread);

/// The frames and the stop of a thread, kept while something else is looked at.
class KeptThread {
public:
  explicit KeptThread(lldb::ThreadSP Thread);
  KeptThread(KeptThread &&) = default;
  /// Puts them back.
  void restore();
  lldb_private::Thread &thread() const { return *Thread; }

private:
  const lldb::ThreadSP Thread;
  const lldb::StackFrameListSP Current, Previous;
  const lldb::StopInfoSP Stop;
  const uint32_t StopId;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H
