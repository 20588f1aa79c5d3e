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
#include "core/dataflow/PartStart.h"

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

/// Feeds the part to \p E, with its calls, and ends it.
template <class Domain>
llvm::Error runEngine(Session &S, dataflow::StepCodes &Codes,
                      const DepsQuery &Q, dataflow::Engine<Domain> &E) {
  auto Calls = CallIndex::open(S.Store);
  if (!Calls)
    return Calls.takeError();
  auto Start =
      dataflow::partStart(S.Store, Calls->get(), Codes, Q.Part, S.Watch);
  if (!Start)
    return Start.takeError();
  E.start(*Start);
  if (llvm::Error Bad = dataflow::forEachStep(
          S.Store, Calls->get(), Codes, Q.Part, "finding dependences", S.Watch,
          [&](const dataflow::Step &Step) { E.step(Step); }))
    return Bad;
  E.finish();
  return llvm::Error::success();
}

/// --goto, of the row that is first; nothing: there is none.
llvm::Error goToFirst(Session &S, std::optional<Moment> M);

/// deps lines --calls
llvm::Error listCallDependences(Session &S, const ParsedOptions &O,
                                const DepsQuery &Q);

} // namespace rw

#endif // REWIND_COMMANDS_DATAFLOW_DEPSLINES_H
