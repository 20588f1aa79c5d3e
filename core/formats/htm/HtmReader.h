//===- HtmReader.h - Core HTM dumps as a trace ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMREADER_H
#define REWIND_FORMATS_HTM_HTMREADER_H

#include "core/formats/TraceReader.h"
#include "core/formats/htm/WordWindow.h"

namespace rw::htm {

/// From memory or any other source. \p Bytes: its size, 0 if not known.
std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options);

/// Whether a file looks like one of these.
unsigned sniff(llvm::StringRef Path, llvm::ArrayRef<uint8_t> Head);
llvm::Expected<std::unique_ptr<TraceReader>> open(llvm::StringRef Path,
                                                  const ReaderOptions &Options);

constexpr TraceFormat Format = {"htm", "POWER8 and POWER10 Core HTM dumps",
                                sniff, open};

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMREADER_H
