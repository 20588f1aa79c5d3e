//===- IntelPTReader.h - Intel PT recordings as a trace ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_INTELPTREADER_H
#define REWIND_FORMATS_INTELPT_INTELPTREADER_H

#include "core/formats/TraceReader.h"
#include "core/formats/intelpt/Recording.h"

namespace rw::intelpt {

/// A reader of a recording that came from anywhere.
std::unique_ptr<TraceReader> makeReader(Recording R,
                                        const ReaderOptions &Options);

unsigned sniff(llvm::StringRef Path, llvm::ArrayRef<uint8_t> Head);
llvm::Expected<std::unique_ptr<TraceReader>> open(llvm::StringRef Path,
                                                  const ReaderOptions &Options);

constexpr TraceFormat Format = {
    "intelpt", "Intel PT: LLDB's trace.json (or its directory), perf.data",
    sniff, open};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_INTELPTREADER_H
