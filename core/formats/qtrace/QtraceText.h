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
#include "core/support/NumberMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace rw::qtrace {

/// Spells instructions. Most of a trace are the same ones again: those cost
/// some nanoseconds.
class InstructionTexts {
public:
  /// Without the target of a direct branch. Valid until the next call.
  llvm::StringRef text(const ReadInsn &I);

private:
  static constexpr size_t MaxKnown = 1 << 16; ///< bounds the memory
  Disassembler Code;
  NumberMap<std::string> Known; ///< by opcode
};

/// One line: address, instruction, and behind a '#' the data address, pages and
/// how a run of instructions ended, as `qtdis -v` has them.
void printRecord(llvm::raw_ostream &OS, InstructionTexts &Texts,
                 const ReadInsn &I);
/// The record as an object.
llvm::json::Object recordJson(InstructionTexts &Texts, const ReadInsn &I);

/// The radix walk of an access to \p EA, if \p P has one, a line for each entry
/// of the guest's tables and for the access: where it is, the host's entries
/// that lead there, and the real address. \p Whose: "DATA".
void printWalk(llvm::raw_ostream &OS, llvm::StringRef Whose, const PlaceInfo &P,
               uint64_t EA);

/// The walk as an object; \p P must have one.
llvm::json::Object walkJson(const PlaceInfo &P, uint64_t EA);

} // namespace rw::qtrace

#endif // REWIND_FORMATS_QTRACE_QTRACETEXT_H
