//===- DepsLines.h - What the lists of dependences share --------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_DATAFLOW_DEPSLINES_H
#define REWIND_COMMANDS_DATAFLOW_DEPSLINES_H

#include "commands/dataflow/Modes.h"
#include "commands/support/Listing.h"
#include "commands/support/NameGlob.h"

namespace rw {

/// What 'deps lines' was asked.
struct DepsQuery {
  dataflow::StepReader::Options Part;
  Moment To = 0; ///< Part's, or the end of the trace
  uint64_t Limit = 0;
  std::optional<NameGlob> Function;
  unsigned Kinds = 0; ///< a bit for each Hazard
  bool Suppress = true;

  /// Whether the function at any of these is asked for.
  bool wants(Session &S, llvm::ArrayRef<uint64_t> PCs) const;
};

dataflow::EngineOptions engineOptions(Session &S, dataflow::StepCodes &Codes,
                                      const DepsQuery &Q);

/// Feeds the part to an engine, with its calls.
llvm::Error forEachStep(Session &S, dataflow::StepCodes &Codes,
                        const DepsQuery &Q,
                        llvm::function_ref<void(const dataflow::Step &)> Feed);

/// --goto, of the row that is first; nothing: there is none.
llvm::Error goToFirst(Session &S, std::optional<Moment> M);

/// deps lines --calls
llvm::Error listCallDependences(Session &S, const ParsedOptions &O,
                                const DepsQuery &Q);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_DEPSLINES_H
