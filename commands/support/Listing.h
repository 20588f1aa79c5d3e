//===- Listing.h - What all commands that list have in common ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_LISTING_H
#define REWIND_COMMANDS_SUPPORT_LISTING_H

#include "commands/support/Format.h"
#include "commands/support/Options.h"

namespace rw {

/// How many items to list: --count, else a screenful or so in a debugger, else
/// all.
llvm::Expected<uint64_t> listLimit(const Session &S, const ParsedOptions &O,
                                   uint64_t DebuggerDefault = 50);

/// Moments to search: [From, To).
struct Span {
  Moment From = 0, To = 0;
};

/// --thread's thread; none: it is not given.
llvm::Expected<std::optional<ThreadIndex>> threadAsked(const Session &S,
                                                       const ParsedOptions &O);

/// The position that an option or an argument names, which is one of --thread's
/// thread if it does not say of which; without --thread, of From's. What is
/// relative counts from \p From, or else from where the session is.
llvm::Expected<Place> positionAsked(const Session &S, const ParsedOptions &O,
                                    llvm::StringRef Text,
                                    std::optional<Place> From = {});

/// --from and --to, as positionAsked() has them; without, the whole trace.
llvm::Expected<Span> searchSpan(const Session &S, const ParsedOptions &O,
                                std::optional<Place> From = {});

/// Where the question is asked from: --thread and --at, else where the session
/// is. The shell is nowhere: questions that look back are asked from the end.
enum class Looks : uint8_t { Back, Ahead };
llvm::Expected<Place> askedAt(const Session &S, const ParsedOptions &O,
                              Looks Direction);

/// A question about a location.
struct Asked {
  Place At; ///< where it is asked from
  Location What;
};
/// The arguments of a question about a location, with --at, --thread and
/// --size.
llvm::Expected<Asked> askedAbout(Session &S, const ParsedOptions &O,
                                 Looks Direction);

/// Whether a list holds all there is, and what ended it if not.
struct Ending {
  bool Complete = true;
  bool Cancelled = false;
  Span Searched;

  /// Whether the list ends before the item at \p Next: there are \p Limit, or
  /// the user has interrupted. It then says so.
  bool before(const Session &S, uint64_t Count, uint64_t Limit, Moment Next);
};

/// {"items": [...], "complete":, "searched": {"from":, "to":}} and, if it was
/// interrupted, "cancelled".
llvm::json::Object listJson(llvm::json::Array Items, const Ending &End);

/// This, and printEnding(), also tell the session if nothing was found.
llvm::json::Object listJson(Session &S, llvm::json::Array Items,
                            const Ending &End);

/// "that is all", or how to see more.
llvm::StringRef completeness(bool Complete);

/// "-- 12 visits in #0..#2044, all of them" and its kin.
void printEnding(Session &S, uint64_t Count, llvm::StringRef What,
                 const Ending &End);

/// {"access":, "address":, "size":} and, if the trace tells them,
/// "real_address", "exclusive", "implied".
llvm::json::Object toJson(const MemAccess &M);

/// "#12  34 clk  0x8040  quicksort+0x8 at quicksort.c:7", in columns.
std::string instructionRow(Session &S, const Instruction &I);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_LISTING_H
