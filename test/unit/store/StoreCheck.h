//===- StoreCheck.h - Asks a store and the naive model ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_TEST_STORECHECK_H
#define REWIND_TEST_STORECHECK_H

#include "core/store/ExecutionCursor.h"
#include "core/store/TraceStore.h"
#include "test/unit/support/NaiveModel.h"
#include "test/unit/support/RandomTrace.h"

namespace rw {

/// Asks a store and the naive model the same questions. Each check returns a
/// description of the first difference (query, expected, got), empty if none.
class StoreCheck {
public:
  /// With \p Damaged, an Error from the store is a right answer, too.
  StoreCheck(const TraceStore &Store, const NaiveModel &Model, uint64_t Seed,
             bool Damaged = false);

  /// Header, extents, the lists of pcs, events and touched memory.
  std::string wholeTrace();
  /// One random question of any kind about a random place.
  std::string randomQuestion();
  std::string randomQuestions(unsigned Count);
  /// Walks \p Count instructions from \p From on.
  std::string walk(Moment From, uint64_t Count, bool WithEffects);
  /// Walks executions from \p From on; part of walk().
  std::string walkExecutions(Moment From, uint64_t Count, bool Places);
  std::string walkRuns(Moment From, uint64_t Count);

  uint64_t numErrors() const { return Errors; }

private:
  std::string header();
  std::string touchedRanges();
  std::string events();
  std::string code();
  std::string positions();
  std::string timesAndLines();
  std::string instruction();
  std::string registers();
  std::string memory();
  std::string registerWrites();
  std::string accesses();
  std::string writtenGranules();
  std::string visits();

  Moment anyMoment();      ///< 0..n
  Moment anyInstruction(); ///< 0..n-1; there must be one
  Moment anyBound();       ///< anyMoment, or BeforeTrace, or after the end
  ThreadIndex anyThread() { return R.below(Store.numThreads()); }
  uint64_t anyAddress();

  /// Compares an answer that may be an error.
  template <typename T>
  std::string same(const llvm::Twine &Query, const T &Want,
                   llvm::Expected<T> Got);
  std::string failed(const llvm::Twine &Query, llvm::Error E);

  const TraceStore &Store;
  const NaiveModel &Model;
  Rng R;
  bool Damaged;
  uint64_t Errors = 0;
  std::unique_ptr<InstructionCursor> Cursors[2];
};

} // namespace rw

#endif // REWIND_TEST_STORECHECK_H
