//===- Goto.cpp - rewind goto ---------------------------------------------===//
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

static Error runGoto(Session &S, const ParsedOptions &Options) {
  std::string Text = Options.text();
  auto Where = parsePosition(S, Text);
  if (!Where)
    return Where.takeError();
  S.TellsPlace = true;
  if (Error E = S.moveTo(*Where, "goto " + Text))
    return E;
  // In the shell there is nothing to move, so moving tells what is there.
  return tellPlace(S, Options, S.Here);
}

static constexpr OptionSpec GotoOptions[] = {opt::Json};

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
    .Options = GotoOptions,
    .MinArguments = 1,
    .Run = runGoto,
    .OnlyAsks = true,
};

} // namespace rw
