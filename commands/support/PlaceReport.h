//===- PlaceReport.h - What is at a place -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_SUPPORT_PLACEREPORT_H
#define REWIND_COMMANDS_SUPPORT_PLACEREPORT_H

#include "commands/support/Format.h"
#include "commands/support/Options.h"

namespace rw {

/// The thread's next instruction at that moment; none at its end. \p At, if
/// given, is told its position.
llvm::Expected<std::optional<Instruction>>
nextInstruction(const TraceStore &Store, Place Where, Position *At = nullptr);

/// One or two lines: "#12 of 2044, 12 clk, line 345: 0x8040 quicksort+0x8 at
/// quicksort.c:7" and the instruction about to run.
llvm::Error printPlace(Session &S, Place Where, llvm::raw_ostream &Out);

/// What is told in the place of placeJson() where no instruction follows: \p
/// Pos is the end of the thread.
llvm::json::Object endJson(ThreadIndex T, Position Pos);

/// The place as JSON: position, of, thread, time, line, pc, function, file,
/// source_line, instruction.
llvm::Expected<llvm::json::Object> placeToJson(Session &S, Place Where);

/// One of these, as --json says.
llvm::Error tellPlace(Session &S, const ParsedOptions &O, Place Where);

/// Where one came to, for --json: the place, and as "what" what it is.
llvm::Error printArrival(Session &S, Place Where, llvm::StringRef What);

/// A --goto that lists nothing: moves there and, with --json, tells where.
llvm::Error moveAndTell(Session &S, const ParsedOptions &O, Place Where,
                        const std::string &What);

} // namespace rw

#endif // REWIND_COMMANDS_SUPPORT_PLACEREPORT_H
