//===- PartStart.h - What came before a part of a trace ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a part of a trace begins, functions are running whose first
// instructions were executed before: they have set up their frame pointers, and
// saved registers and return addresses. An engine that did not know would take
// these for data.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_DATAFLOW_PARTSTART_H
#define REWIND_DATAFLOW_PARTSTART_H

#include "core/dataflow/Engine.h"
#include "core/dataflow/StepReader.h"

namespace rw::dataflow {

/// What an engine starts from that begins at \p Part.From. Looks at the first
/// 64 instructions of the innermost 1,000 activations of each thread, or of the
/// one that \p Part names: what these saved and is there still, and which
/// register was made a frame pointer and has the same value. Some 20 us for
/// each activation.
llvm::Expected<EngineStart> partStart(const TraceStore &Store,
                                      const CallIndex *Calls, StepCodes &Codes,
                                      const StepReader::Options &Part,
                                      const Watch &W);

/// A domain that knows no stamps: of an engine that only looks at what has to
/// do with calls.
struct NoTimes {
  using Stamp = uint32_t;
  struct Node {};
  struct Deferred {};
  Stamp latest(Stamp, Stamp, bool &) { return 0; }
  Stamp canonical(Stamp) { return 0; }
  Node begin(const Step &) { return {}; }
  void add(Node &, const Step &, Stamp, EdgeKind) {}
  Stamp finish(Node &, const Step &, const NodeCode *, bool) { return 0; }
  void branched(const Step &, Stamp) {}
  void end(const Step &) {}
  void enter(const Step &) {}
  void leave(unsigned) {}
  Deferred defer(const Step &, Stamp, unsigned) { return {}; }
  Stamp undefer(const Deferred &, Stamp, unsigned, unsigned,
                llvm::ArrayRef<Stamp>) {
    return 0;
  }
  bool wantsCompaction() { return false; }
  template <typename F> void compact(F) {}
};

} // namespace rw::dataflow

#endif // REWIND_DATAFLOW_PARTSTART_H
