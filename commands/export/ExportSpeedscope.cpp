//===- ExportSpeedscope.cpp - rewind export speedscope --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"

using namespace llvm;

namespace rw {

static Error speedscope(Session &S, const ParsedOptions &O) {
  auto Unit = costUnit(S, O);
  if (!Unit)
    return Unit.takeError();
  return exportCalls(S, O, false, [&](CallQuery &Q, raw_ostream &Out) {
    return exportSpeedscope(Q, *Unit, exportTitle(S), Out);
  });
}

extern const Command ExportSpeedscopeCommand = {
    .Name = "export speedscope",
    .Summary = "Write the calls for speedscope",
    .Help = R"(
Every call with its beginning and end, in the file format of
https://www.speedscope.app, a profile for each thread.

  rewind export speedscope -o out.speedscope.json
)",
    .Options = CostOptions,
    .MaxArguments = 0,
    .Run = speedscope,
    .OnlyAsks = true,
};

} // namespace rw
