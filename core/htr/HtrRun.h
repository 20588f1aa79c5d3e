//===- HtrRun.h - Runs passes over a store ----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_HTR_HTRRUN_H
#define REWIND_HTR_HTRRUN_H

#include "core/htr/HtrFile.h"
#include "core/htr/Pass.h"

namespace rw {
class TraceStore;
}

namespace rw::htr {

/// What is run if nobody asks for anything else.
inline constexpr llvm::StringLiteral DefaultPipeline =
    "functions,bsb,flow-loops";

struct RunOptions {
  std::string Pipeline = DefaultPipeline.str();
  PassOptions Passes;
  rw::Watch Watch;
};

/// Reads the instructions of \p Store and runs the passes. A pass that finds
/// nothing to condense, or the functions pass where the store has no calls,
/// leaves a note in the header. Memory: two to four bytes per instruction while
/// it runs, plus the distinct blocks.
llvm::Expected<RunResult> runPasses(const TraceStore &Store,
                                    const RunOptions &Options);

/// The file of layers beside a store.
inline std::string layersPath(llvm::StringRef StorePath) {
  return (StorePath + ".htr").str();
}

/// Whether another store lies at \p StorePath by now, to which the layers there
/// belong. One that was removed since it was opened goes on having its own.
bool isReplaced(const TraceStore &Store, llvm::StringRef StorePath);

/// The layers kept beside a store, or null with the reason in \p Why: there are
/// none, they are of another state of the store, or damaged.
llvm::Expected<std::unique_ptr<HtrFile>> openLayers(const TraceStore &Store,
                                                    llvm::StringRef StorePath,
                                                    std::string &Why);

} // namespace rw::htr

#endif // REWIND_HTR_HTRRUN_H
