//===- IntelPTReader.h - Intel PT recordings as a trace ---------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_INTELPTREADER_H
#define REWIND_FORMATS_INTELPT_INTELPTREADER_H

#include "core/formats/TraceFormat.h"
#include "core/formats/intelpt/Recording.h"

namespace rw::intelpt {

/// A reader of a recording that came from anywhere.
std::unique_ptr<TraceReader> makeReader(Recording R,
                                        const ReaderOptions &Options);

/// What ran in modules that are missing or of another build becomes gaps.
inline constexpr OptionSpec MissingModules{
    "missing-modules", 0, "",
    "Intel PT: go on without modules that are missing or of another build"};

/// As perf's option of that name.
inline constexpr OptionSpec Symfs{
    "symfs", 0, "folder",
    "Intel PT: the modules of perf.data are below this folder"};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_INTELPTREADER_H
