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

/// Switches at the same time keep their order; repeated ones go.
void sortSwitches(std::vector<ContextSwitch> &Switches);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_CONTEXTSWITCHES_H
