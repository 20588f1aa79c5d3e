//===- QtraceText.h - Qtrace records as lines of text -----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_QTRACE_QTRACETEXT_H
#define REWIND_FORMATS_QTRACE_QTRACETEXT_H

#include "core/arch/Disassembler.h"
#include "core/formats/qtrace/QtraceReader.h"
#include "llvm/Support/raw_ostream.h"

namespace rw::qtrace {

/// One line: address, instruction, and behind a '#' the data address, pages and
/// how a run of instructions ended, as `qtdis -v` has them.
void printRecord(llvm::raw_ostream &OS, Disassembler &Code, const ReadInsn &I);

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACETEXT_H
