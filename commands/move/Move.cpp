//===- Move.cpp - rewind goto, back and forward ---------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "commands/support/PlaceReport.h"
#include "commands/support/PositionExpr.h"

using namespace llvm;

namespace rw {

/// In the shell there is nothing to move, so moving tells what is there.
static Error arrive(Session &S, const ParsedOptions &Options) {
  if (!Options.has("json"))
    return printPlace(S, S.Here, S.Out);
  auto O = placeToJson(S, S.Here);
  if (!O)
    return O.takeError();
  printJson(S.Out, std::move(*O));
  return Error::success();
}

static Error runGoto(Session &S, const ParsedOptions &Options) {
  std::string Text = Options.text();
  auto Where = parsePosition(S, Text);
  if (!Where)
    return Where.takeError();
  if (Error E = S.moveTo(*Where, "goto " + Text))
    return E;
  return arrive(S, Options);
}

/// One (or several) along the movements: takes from \p From, puts onto \p To.
static Error walk(Session &S, const ParsedOptions &Options,
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
  return arrive(S, Options);
}

static Error runBack(Session &S, const ParsedOptions &Options) {
  return walk(S, Options, S.Memory.Back, S.Memory.Forward, "back");
}

static Error runForward(Session &S, const ParsedOptions &Options) {
  return walk(S, Options, S.Memory.Forward, S.Memory.Back, "forward");
}

static constexpr OptionSpec MoveOptions[] = {opt::Json};

extern const Command GotoCommand = {
    .Name = "goto",
    .Summary = "Go to a position in the trace",
    .Arguments = "<position>",
    .Help = R"(
A position is one of
  #1234 or 1234     the instruction with that index, counted from 0
  start, end        the first one; after the last one
  +10, -10          that many from here
  t:2044            the first instruction at or after that time of the trace
  l:4321            the instruction of that line of the trace's text
  50%               that share of the thread
  2:#1234           any of these, in thread 2 (a number from 1, or a name;
                    =2:#1234: its name is 2)
  <name>            a bookmark

  (lldb) rewind goto 1234
  (lldb) rewind goto l:4321
)",
    .Options = MoveOptions,
    .MinArguments = 1,
    .Run = runGoto,
};

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
    .Options = MoveOptions,
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
    .Options = MoveOptions,
    .MaxArguments = 1,
    .Run = runForward,
};

} // namespace rw
