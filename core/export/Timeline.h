//===- Timeline.h - Calls and events on a clock -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_TIMELINE_H
#define REWIND_EXPORT_TIMELINE_H

#include "core/calls/CallContexts.h"
#include "core/export/CallExport.h"

namespace rw {

/// What happens on the tracks of a timeline viewer, thread by thread: slices
/// begin and end properly nested, in order; then the thread's events.
class TimelineWriter {
public:
  virtual ~TimelineWriter() = default;
  virtual void beginThread(ThreadIndex T, llvm::StringRef Name) = 0;
  virtual void beginSlice(uint64_t Time, const FunctionKey &F,
                          const CallNode &N) = 0;
  virtual void endSlice(uint64_t Time) = 0;
  /// \p Count events of one name that follow each other at the same time; the
  /// first is at \p Pos.
  virtual void instant(uint64_t Time, llvm::StringRef Name, Position Pos,
                       uint64_t Count) = 0;
};

/// Times are those of the trace in its unit, or numbers of instructions.
llvm::Expected<TimelineSummary> writeTimeline(const CallQuery &Q, CostUnit Unit,
                                              TimelineWriter &To);

} // namespace rw

#endif // REWIND_EXPORT_TIMELINE_H
