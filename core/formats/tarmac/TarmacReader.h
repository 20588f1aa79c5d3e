//===- TarmacReader.h - Arm Tarmac text traces ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokenizer and parser (LineParser) work on chunks of the text in parallel; the
// Tracker completes the chunks in order. See docs/tarmac.md for what is read.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_TARMACREADER_H
#define REWIND_FORMATS_TARMAC_TARMACREADER_H

#include "core/formats/TraceReader.h"

namespace rw::tarmac {

unsigned sniff(llvm::StringRef Path, llvm::ArrayRef<uint8_t> Head);
llvm::Expected<std::unique_ptr<TraceReader>> open(llvm::StringRef Path,
                                                  const ReaderOptions &Options);

constexpr TraceFormat Format = {
    "tarmac", "Arm Tarmac text (plain, gzip, xz, zstd or bzip2)", sniff, open};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_TARMACREADER_H
