//===- HtmReader.h - Core HTM dumps as a trace ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_HTM_HTMREADER_H
#define REWIND_FORMATS_HTM_HTMREADER_H

#include "core/formats/TraceFormat.h"
#include "core/formats/htm/WordWindow.h"

namespace rw::htm {

/// From memory or any other source. \p Bytes: its size, 0 if not known.
std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options);

} // namespace rw::htm

#endif // REWIND_FORMATS_HTM_HTMREADER_H
