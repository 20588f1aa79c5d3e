//===- CallSupport.h - What the call commands have in common ----*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_CALLS_CALLSUPPORT_H
#define REWIND_COMMANDS_CALLS_CALLSUPPORT_H

#include "commands/Command.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/Format.h"
#include "core/calls/CallSweep.h"

namespace rw {

namespace opt {
inline constexpr OptionSpec Style{
    "style", 0, "name", "\"tarmac\": exactly as the Tarmac Trace Utilities",
    "tarmac"};
inline constexpr OptionSpec NoOffsets{
    "no-offsets", 0, "", "with --style tarmac: names without \"+ address\""};
} // namespace opt

/// Names from the session's image, demangled, with source lines; addresses
/// where there is none. Must not outlive the image.
std::unique_ptr<FunctionNames> sessionNames(Session &S);

/// The call index of a session's store, and names for it. An Error if the store
/// has none.
class CallsOfSession {
public:
  /// With \p Ttu, names as the Tarmac Trace Utilities (TTU) choose them.
  static llvm::Expected<std::unique_ptr<CallsOfSession>>
  open(Session &S, bool Ttu, bool Offsets = true);

  CallQuery query();
  const CallIndex &index() const { return *Index; }
  FunctionNames &names() { return *Names; }

private:
  explicit CallsOfSession(Session &S) : S(S) {}
  Session &S;
  std::unique_ptr<CallIndex> Index;
  std::unique_ptr<FunctionNames> Names;
};

/// Whether --style asks for that of TTU; an Error for another style.
llvm::Expected<bool> ttuStyle(const ParsedOptions &O);

/// Activations are numbered per thread: "@12", or "2:@12" in a trace of several
/// threads.
std::string formatActivation(const TraceStore &Store, const Activation &A);
llvm::Expected<Activation> parseActivation(Session &S, const CallIndex &Index,
                                           llvm::StringRef Text);

/// "returned", "never returned", "still running at the end", ...; what is worth
/// saying of how it began and ended, empty if it was called and returned.
std::string activationRemarks(const Activation &A, bool TailCall);

/// [--from, --to) as positions of a thread.
struct PositionRange {
  Position From = 0, To = ~Position(0);
};
llvm::Expected<PositionRange> positionRange(Session &S, const ParsedOptions &O,
                                            ThreadIndex T);

/// The threads that --thread selects; all without it.
llvm::Expected<std::vector<ThreadIndex>>
selectedThreads(const Session &S, const ParsedOptions &O);

/// The place that an argument, --at or the session means.
llvm::Expected<Place> placeAsked(Session &S, const ParsedOptions &O);
/// The thread's position there, its last one at its end; an Error if the thread
/// has no instructions.
llvm::Expected<Position> positionThere(Session &S, Place Where);

} // namespace rw

#endif // REWIND_COMMANDS_CALLS_CALLSUPPORT_H
