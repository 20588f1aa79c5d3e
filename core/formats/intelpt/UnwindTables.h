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

/// The landing pads that the file's .eh_frame and the tables of call sites that
/// it refers to (.gcc_except_table) tell, as linked. Section headers are not
/// needed. What does not look like such a table is left out: a file of another
/// language may have others. Cost: one pass over .eh_frame.
std::vector<LandingPad> landingPads(const ElfModule &M);

/// Adds those of a file that lies \p Slide bytes further up, and its setjmps.
void addNonlocalTargets(const ElfModule &M, uint64_t Slide,
                        NonlocalTargets &Out);

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_UNWINDTABLES_H
