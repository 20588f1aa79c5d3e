//===- ReplayTarget.h - The target of a replay ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_REPLAYTARGET_H
#define REWIND_PLUGIN_REPLAYTARGET_H

#include "plugin/LoadedTrace.h"
#include <string>

namespace rw {

/// A program or library, and where its lowest section lies; without, where the
/// file says.
struct ReplayImage {
  std::string Path;
  std::optional<uint64_t> Base;
  std::string BuildId; ///< that it must have, in hex digits; empty: any
};

/// The images that the trace names itself, the program first. What is no file
/// any more (the kernel's own, a library that was not kept) is left out and
/// named in \p Missing.
std::vector<ReplayImage> recordedImages(const TraceHeader &Header,
                                        std::vector<std::string> &Missing);

/// Makes a target from \p Images (the program first; bare if there are none)
/// with a process that replays \p Trace, and selects it. Leaves nothing behind
/// if it fails. What does not work is told on \p Out.
llvm::Error startReplay(lldb::SBDebugger Debugger,
                        std::shared_ptr<LoadedTrace> Trace,
                        llvm::ArrayRef<ReplayImage> Images,
                        llvm::ArrayRef<std::string> Missing,
                        llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_PLUGIN_REPLAYTARGET_H
