//===- SourceMap.h - Where sources are now ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_SOURCEMAP_H
#define REWIND_PLUGIN_SOURCEMAP_H

#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>

namespace rw {

/// What `target.source-map` of the selected target, as it is now, makes of the
/// path of a source: the first place where there is such a file; else the path
/// itself. It asks nothing of LLDB any more.
std::function<std::string(llvm::StringRef)>
movedSources(lldb::SBDebugger Debugger);

} // namespace rw

#endif // REWIND_PLUGIN_SOURCEMAP_H
