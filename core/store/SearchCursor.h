//===- SearchCursor.h - One answer of a search after the other --*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_STORE_SEARCHCURSOR_H
#define REWIND_STORE_SEARCHCURSOR_H

#include "core/store/StoreAnswers.h"

namespace rw {

/// A search for listings, which ask for one answer after the other. It answers
/// as the store's own searches do, from any moment in any order; what is asked
/// in ascending order decodes each block once, not for each answer. Not
/// thread-safe; it must not outlive the store.
class SearchCursor {
public:
  virtual ~SearchCursor() = default;
  /// The first at or after \p From; none if there is none. What a damaged block
  /// tells before the damage is still answered.
  virtual llvm::Expected<std::optional<Moment>> from(Moment From) = 0;

  /// As TraceStore::nextAccess().
  static std::unique_ptr<SearchCursor> accesses(const TraceStore &Store,
                                                uint64_t Addr, uint64_t Size,
                                                AccessKind Kind);
  /// As TraceStore::nextRegisterWrite().
  static std::unique_ptr<SearchCursor> registerWrites(const TraceStore &Store,
                                                      ThreadIndex T,
                                                      unsigned Lane,
                                                      uint8_t Mask);
  /// As TraceStore::visitAtOrAfter().
  static std::unique_ptr<SearchCursor>
  visits(const TraceStore &Store, uint64_t PC, std::optional<ThreadIndex> T);
};

/// The first answer of any of \p Searches at or after \p From. \p Whose, if
/// given, is told which of them answered so.
llvm::Expected<std::optional<Moment>>
firstOf(llvm::ArrayRef<std::unique_ptr<SearchCursor>> Searches, Moment From,
        size_t *Whose = nullptr);

} // namespace rw

#endif // REWIND_STORE_SEARCHCURSOR_H
