//===- BackForward.cpp - rewind back and forward --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/PlaceReport.h"

using namespace llvm;

namespace rw {

/// One (or several) along the movements: takes from \p From, puts onto \p To.
static Error walkMovements(Session &S, const ParsedOptions &Options,
                           std::vector<Place> &From, std::vector<Place> &To,
                           StringRef Name) {
  if (Error E = S.checkMovable())
    return E;
  uint64_t Count = 1;
  if (!Options.arguments().empty()) {
    auto N = parseNumber(Options.arguments()[0]);
    if (!N || !*N)
      return usageError("'" + Options.arguments()[0] +
                        "' is not a number of movements");
    Count = *N;
  }
  if (Count > From.size())
    return userError(From.empty() ? "there is no movement to go " + Name + " to"
                                  : "there are only " + Twine(From.size()) +
                                        " movements to go " + Name + " to");
  S.TellsPlace = true;
  // Not moveTo(): that would begin a new branch of history.
  Place Target = From[From.size() - Count];
  if (Error E = S.Move(Target, Name.str()))
    return E;
  To.push_back(S.Here);
  for (uint64_t I = 0; I + 1 < Count; ++I) {
    To.push_back(From.back());
    From.pop_back();
  }
  From.pop_back();
  S.Here = Target;
  return tellPlace(S, Options, S.Here);
}

static Error runBack(Session &S, const ParsedOptions &Options) {
  return walkMovements(S, Options, S.Memory.Back, S.Memory.Forward, "back");
}

static Error runForward(Session &S, const ParsedOptions &Options) {
  return walkMovements(S, Options, S.Memory.Forward, S.Memory.Back, "forward");
}

static constexpr OptionSpec MovementOptions[] = {opt::Json};

extern const Command BackCommand = {
    .Name = "back",
    .Summary = "Go back to where the last movement came from",
    .Arguments = "[<n>]",
    .Help = R"(
Movements are those of this program and of the debugger alike: goto, --goto,
continue, rc, finish, until. Steps that follow one another count as one. Like the
back button of a browser; 'forward' undoes it.

  (lldb) rewind back
)",
    .Options = MovementOptions,
    .MaxArguments = 1,
    .Run = runBack,
};

extern const Command ForwardCommand = {
    .Name = "forward",
    .Summary = "Undo 'back'",
    .Arguments = "[<n>]",
    .Help = R"(
  (lldb) rewind forward
)",
    .Options = MovementOptions,
    .MaxArguments = 1,
    .Run = runForward,
};

} // namespace rw
