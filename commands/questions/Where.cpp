//===- Where.cpp - rewind where -------------------------------------------===//
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

static Error runWhere(Session &S, const ParsedOptions &Options) {
  Place Where = S.Here;
  if (!Options.arguments().empty()) {
    auto P = parsePosition(S, Options.text());
    if (!P)
      return P.takeError();
    Where = *P;
  }
  return tellPlace(S, Options, Where);
}

static constexpr OptionSpec WhereOptions[] = {opt::Json};

extern const Command WhereCommand = {
    .Name = "where",
    .Summary = "Tell where in the trace you are",
    .Arguments = "[<position>]",
    .Help = R"(
Prints the position (the index of the next instruction of the thread), how many
there are, the trace's time and line, the pc, function and source line, and the
instruction that is about to run; real addresses of it and of what it will read
and write, where the trace tells them. With a position it tells about that one.

  rewind where
  rewind where 50%
)",
    .Options = WhereOptions,
    .Run = runWhere,
    .OnlyAsks = true,
};

} // namespace rw
