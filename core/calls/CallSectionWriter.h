//===- CallSectionWriter.h - The section "calls" ----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_CALLS_CALLSECTIONWRITER_H
#define REWIND_CALLS_CALLSECTIONWRITER_H

#include "core/calls/ActivationSorter.h"
#include "core/calls/CallSection.h"
#include "core/store/SectionWriter.h"
#include "llvm/ADT/ArrayRef.h"

namespace rw {

/// Writes the section that CallIndex reads. \p ByThread: the activations of
/// each thread, which are taken; null for a thread that ran nothing. \p
/// Targets: where jumps went, ascending.
llvm::Error writeCalls(SectionWriter &Out,
                       llvm::ArrayRef<ActivationSorter *> ByThread,
                       const std::vector<callsection::EntryRecord> &Entries,
                       llvm::ArrayRef<uint64_t> Targets);

} // namespace rw

#endif // REWIND_CALLS_CALLSECTIONWRITER_H
