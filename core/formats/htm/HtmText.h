//===- HtmText.h - Dumps as text --------------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMTEXT_H
#define REWIND_FORMATS_HTM_HTMTEXT_H

#include "core/formats/htm/HtmDecoder.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace rw::htm {

struct TextOptions {
  /// Second data addresses, MSR, LPID and PID, ESID and VSID. Without: the
  /// fields and the form of htmdecoder's -d (but a real address also where the
  /// page size is not known).
  bool Everything = false;
};

/// "INSN  iea:... op:...", a line per word of the instruction.
void printInstruction(llvm::raw_ostream &OS, const Instruction &I,
                      const TextOptions &Options);

/// The names of the MSR bits that are set: "HV", "PR", ...
llvm::SmallVector<llvm::StringRef, 9> msrBits(const Instruction &I);

/// "MARK  ...", a line.
void printEvent(llvm::raw_ostream &OS, const Event &E);

/// A stamp in words: "mark 17 by unit 2 of chip 0", without a newline.
std::string describe(const Stamp &S);

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMTEXT_H
