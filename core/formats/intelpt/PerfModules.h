//===- PerfModules.h - Where the files of a perf.data are -------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_PERFMODULES_H
#define REWIND_FORMATS_INTELPT_PERFMODULES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace rw::intelpt::perf {

/// Where a module may be, in the order in which it is looked for: where it was
/// (below \p Symfs, if that is not empty), then in perf's cache by its build
/// id: $PERF_BUILDID_DIR or ~/.debug, or with \p Symfs the ".debug" in it.
/// \p BuildId: upper case hex digits; empty: not known, so the cache is of no
/// use. The code that the kernel gives to all ("[vdso]") is only there.
std::vector<std::string> placesOf(llvm::StringRef Recorded,
                                  llvm::StringRef BuildId,
                                  llvm::StringRef Symfs);

} // namespace rw::intelpt::perf

#endif // REWIND_FORMATS_INTELPT_PERFMODULES_H
