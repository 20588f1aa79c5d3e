//===- Indexer.h - The store that belongs to a trace ------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_INDEXER_H
#define REWIND_STORE_INDEXER_H

#include "core/formats/TraceFormat.h"
#include "core/store/StoreAnswers.h"
#include "core/store/StoreBuilder.h"

namespace rw {

struct IndexOptions {
  std::string Format;    ///< empty: guess
  std::string IndexPath; ///< empty: see indexPath()
  bool Force = false;    ///< build it even if there is a good one
  bool Never = false;    ///< do not build: fail if there is no good one
  bool Verify = false;   ///< it is good only if every byte of the trace is as
                         ///< it was
  ReaderOptions Reader;
  /// Rooms that add a section of their own (the call recogniser). If the store
  /// that is there lacks what they write, it is stale: see Sections.
  std::vector<StreamObserver *> Observers;
  std::vector<std::string> Sections;
};

struct IndexReport {
  std::string Path;   ///< of the store
  bool Built = false; ///< now
  std::string Why;    ///< why it was built ("there was none", "stale: ...")
  /// What to tell the user, or empty: it was built elsewhere than beside the
  /// trace, whose folder cannot be written, or instead of one that is damaged.
  std::string Note;
};

/// Opens the store of \p Trace, building it first where there is none or where
/// it does not belong to the trace as it is now. That of standard input ("-")
/// has no file, and no Report.Path.
llvm::Expected<std::unique_ptr<TraceStore>>
openOrBuildStore(llvm::StringRef Trace, const IndexOptions &Options,
                 IndexReport *Report = nullptr);

/// A name in the system's folder for temporary files, for a store that lives
/// only as long as it is mapped.
std::string unnamedStorePath();

/// The path of the store of a trace: where Options say; else beside it, with
/// ".rewind"; else, where that folder cannot be written and has none, in the
/// user's cache ($XDG_CACHE_HOME/rewind or ~/.cache/rewind).
std::string indexPath(llvm::StringRef Trace, const IndexOptions &Options);

/// An error if \p Trace is not, or not any more, what \p Store was made of, by
/// its size, time and ends.
llvm::Error checkUnchanged(const TraceStore &Store, llvm::StringRef Trace);

} // namespace rw

#endif // REWIND_STORE_INDEXER_H
