//===- Visits.h - Places of the code and when they were reached -*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_VISITS_H
#define REWIND_COMMANDS_SUPPORT_VISITS_H

#include "commands/support/Session.h"
#include "core/store/SearchCursor.h"

namespace rw {

/// A place of the code that a user named: one address, or several (a line that
/// was inlined, an overloaded function).
struct CodePlace {
  std::string Text;
  std::vector<uint64_t> Addresses;
  /// How many inlined calls deep a function that was named, or that has the
  /// line, is at each of Addresses: what is inlined in it may begin there, too.
  std::vector<unsigned> Depths = {};

  /// As Place has it.
  std::optional<unsigned> depthAt(uint64_t Addr) const;
};

/// "0x8038", "quicksort", "quicksort+8", "quicksort.c:12". A function alone,
/// or the line that opens it, is meant where a breakpoint on it stops, behind
/// its prologue; with \p Entry, at its first instruction. Its inlined copies
/// are meant, too, unless \p Copies says otherwise. Registers in it have their
/// value at \p At.
llvm::Expected<CodePlace> parseCodePlace(Session &S, const Place &At,
                                         llvm::StringRef Text, bool Entry,
                                         bool Copies = true);

llvm::Expected<std::optional<Moment>> lastVisit(const TraceStore &Store,
                                                const CodePlace &P,
                                                Moment Before,
                                                std::optional<ThreadIndex> T);
/// May answer \p From itself.
llvm::Expected<std::optional<Moment>> visitFrom(const TraceStore &Store,
                                                const CodePlace &P, Moment From,
                                                std::optional<ThreadIndex> T);

/// visitFrom() for a listing, which asks for one after the other.
class VisitSearch {
public:
  VisitSearch(const TraceStore &Store, const CodePlace &P,
              std::optional<ThreadIndex> T);
  llvm::Expected<std::optional<Moment>> from(Moment From);
  /// The one of the place's addresses that the last answer was a visit of.
  uint64_t address() const { return Addresses[Found]; }

private:
  const std::vector<uint64_t> Addresses;
  size_t Found = 0;
  std::vector<std::unique_ptr<SearchCursor>> Searches; ///< one per address
};

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_VISITS_H
