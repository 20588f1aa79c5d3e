//===- ContextSwitches.h - Who ran on a CPU, from perf's records *- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_CONTEXTSWITCHES_H
#define REWIND_FORMATS_INTELPT_CONTEXTSWITCHES_H

#include "core/formats/intelpt/Recording.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw::intelpt {

/// The raw ring buffer of a perf event of one CPU with context_switch and
/// sample_id_all set and PERF_SAMPLE_TID | PERF_SAMPLE_TIME: what LLDB's
/// bundles hold. \p Name is for errors.
llvm::Expected<std::vector<ContextSwitch>>
readContextSwitches(llvm::ArrayRef<uint8_t> Bytes, const std::string &Name,
                    const TimeConversion &Time);

/// Collects the switches of one CPU.
///
/// A record that says "switched out" is not used but for who ran before: what
/// runs next has a record of its own, and times in traces lag behind.
class SwitchList {
public:
  explicit SwitchList(const TimeConversion &Time) : Time(Time) {}
  void add(uint64_t Nanoseconds, uint64_t Pid, uint64_t Tid, bool Out);
  /// Ascending; those at the same time in the order they were added.
  std::vector<ContextSwitch> take();

private:
  const TimeConversion &Time;
  struct Entry {
    ContextSwitch Switch;
    bool Out;
  };
  std::vector<Entry> Entries;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_CONTEXTSWITCHES_H
