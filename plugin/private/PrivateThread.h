//===- PrivateThread.h - What LLDB remembers of a thread --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H
#define REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H

#include "lldb/API/SBTarget.h"
#include "lldb/lldb-forward.h"
#include "lldb/lldb-types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace rw {

/// Makes LLDB unwind the thread anew. For private headers, see
/// TraceAdapter.cpp.
void forgetFrames(lldb_private::Thread &Thread);

/// Numbers the threads of the process as \p Ids lists them: LLDB would give 1
/// to the one that stops first. For a process that has no threads yet, and
/// waits.
void numberThreads(lldb::SBTarget Target, llvm::ArrayRef<lldb::tid_t> Ids);

/// The frames and the stop of a thread, kept while something else is looked at.
class KeptThread {
public:
  explicit KeptThread(lldb::ThreadSP Thread);
  KeptThread(KeptThread &&) = default;
  /// Puts them out of the way: LLDB takes frames of before over into those that
  /// it makes, and changes them.
  void putAside();
  /// Puts them back.
  void restore();

private:
  const lldb::ThreadSP Thread;
  const lldb::StackFrameListSP Current, Previous, Unwound;
  const llvm::DenseMap<lldb::frame_list_id_t, lldb::StackFrameListWP> ById;
  const lldb::StopInfoSP Stop;
  const uint32_t StopId;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_PRIVATETHREAD_H
