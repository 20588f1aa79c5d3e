//===- OpenTrace.h - The one door to a trace --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever wants to ask a trace comes in here: the shell, LLDB, a server. The
// stores that come out have everything that commands need, the calls included.
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_OPENTRACE_H
#define REWIND_OPENTRACE_H

#include "core/model/NonlocalTargets.h"
#include "core/store/Indexer.h"
#include "core/store/TraceStore.h"
#include "core/support/Watch.h"

namespace rw {

struct OpenedTrace {
  std::unique_ptr<TraceStore> Store;
  IndexReport Report;
};

/// Opens the store of the trace \p Path ("-" is standard input), and builds it
/// first where there is none or it is stale. That takes seconds for a large
/// trace: \p W is told how many bytes are read, and can stop it
/// (errc::interrupted). Opening a store that is there takes milliseconds.
/// Observers and Sections of \p Options, its Cancel and Progress are set here.
llvm::Expected<OpenedTrace>
openTraceStore(llvm::StringRef Path, IndexOptions Options, const Watch &W);

/// The store of what \p Reader delivers, for a trace that is no file. It has no
/// file either and lives as long as it is open. \p Targets: what files tell of
/// exceptions and setjmp.
llvm::Expected<std::unique_ptr<TraceStore>>
makeTraceStore(TraceReader &Reader, const NonlocalTargets &Targets = {});

} // namespace rw

#endif // REWIND_OPENTRACE_H
