//===- PositionExpr.h - What a user may type for a position -----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   #1234 1234 1,234    position of the current thread, or of --thread's
//   start end           first position; after the last one
//   +10 -10             that many positions from the current one
//   t:2044 t:1.5ms      first instruction at or after that trace time
//   l:4321              the instruction of that line of a text trace
//   50%                 of the current thread
//   caller entry return of the function that runs here: its call, its first and
//                       its last instruction
//   end-20 l:4321+3     any of these, and a distance from it
//   2:#1234             any of these in thread 2 (number from 1, or name; "=2"
//                       is the one whose name is 2)
//   name                a bookmark
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_POSITIONEXPR_H
#define REWIND_COMMANDS_SUPPORT_POSITIONEXPR_H

#include "commands/support/Session.h"

namespace rw {

/// The place that \p Text names. An error tells what was wrong, and the range
/// where a number lies outside.
/// Distances, callers and the like count from \p From, or else from where the
/// session is. Without a thread it is one of \p Of, or of From's.
llvm::Expected<Place> parsePosition(const Session &S, llvm::StringRef Text,
                                    std::optional<ThreadIndex> Of = {},
                                    std::optional<Place> From = {});

/// The words among them, but for bookmarks.
llvm::ArrayRef<llvm::StringLiteral> positionWords();

/// Whether \p Text is one of these, or one with distances ("end-20"): where a
/// position may be wanted that comes before names of the program.
bool isPositionWord(llvm::StringRef Text);

/// Whether \p Text can be nothing but a position: what is wrong with it is told
/// as such. Names of bookmarks and bare words are none.
bool isWrittenAsPosition(llvm::StringRef Text);

/// Where \p T stands at a position. Behind its last instruction that is right
/// behind it in time, too: others may go on.
llvm::Expected<Place> placeOf(const TraceStore &Store, ThreadIndex T,
                              Position P);

/// A thread by number (from 1) or name; by its name alone behind a "=".
llvm::Expected<ThreadIndex> parseThread(const TraceStore &Store,
                                        llvm::StringRef Text);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_POSITIONEXPR_H
