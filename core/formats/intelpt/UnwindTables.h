//===- UnwindTables.h - Landing pads of an ELF file -------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_UNWINDTABLES_H
#define REWIND_FORMATS_INTELPT_UNWINDTABLES_H

#include "core/formats/intelpt/ElfModule.h"
#include "core/model/NonlocalTargets.h"

namespace rw::intelpt {

struct UnwindTables {
  std::vector<LandingPad> Pads;
  /// What each entry is about, in their order. Those of signal trampolines are
  /// left out: they begin one byte early, for the sake of unwinders.
  std::vector<FunctionRange> Functions;
};

/// The functions and landing pads that the file's .eh_frame and the tables of
/// call sites that it refers to (.gcc_except_table) tell, as linked. Section
/// headers are not needed. What does not look like such a table is left out: a
/// file of another language may have others. Cost: one pass over .eh_frame.
UnwindTables unwindTables(const ElfModule &M);

/// Adds what the tables and symbols of a file tell that lies \p Slide bytes
/// further up.
void addNonlocalTargets(const ElfModule &M, const UnwindTables &Tables,
                        uint64_t Slide, NonlocalTargets &Out);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_UNWINDTABLES_H
