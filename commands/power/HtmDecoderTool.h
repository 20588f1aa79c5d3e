//===- HtmDecoderTool.h - rewind htmdecoder ---------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_POWER_HTMDECODERTOOL_H
#define REWIND_COMMANDS_POWER_HTMDECODERTOOL_H

#include "core/formats/htm/HtmDecoder.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// `htmdecoder [-Ddsib]... [-o <outfile.qt>] <htmdump>`, for the scripts that
/// call it. Returns the exit status: 0 for a dump without a flaw, 1 if nothing
/// could be made of it, 2 for a wrong command line, 3 if it was decoded but has
/// invalid records, 130 if interrupted.
int runHtmDecoder(llvm::ArrayRef<llvm::StringRef> Words, llvm::raw_ostream &Out,
                  llvm::raw_ostream &Err, const std::atomic<bool> *Cancel);

namespace htm {
/// Decodes \p Dump into Qtrace records; \p Beside, if given, gets the batches,
/// too.
struct QtraceCounts {
  uint64_t Written = 0;          ///< instructions
  uint64_t DroppedReal = 0;      ///< real addresses that Qtrace cannot hold
  bool AssumedPageSizes = false; ///< see QtraceWriter
};
/// To be printed if there were such.
constexpr llvm::StringLiteral AssumedPageSizesNote =
    "note: of pages whose size the dump does not tell (hash page tables, no "
    "translation), real addresses are told in pages of 4K\n";
llvm::Expected<QtraceCounts> writeQtrace(llvm::StringRef Dump,
                                         llvm::raw_ostream &Out,
                                         DecoderOptions Options,
                                         BatchSink *Beside, Summary &Sum);
} // namespace htm

} // namespace rw

#endif // REWIND_COMMANDS_POWER_HTMDECODERTOOL_H
