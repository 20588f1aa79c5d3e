//===- ExportSvg.cpp - rewind export svg ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"

using namespace llvm;

namespace rw {

static Error svg(Session &S, const ParsedOptions &O) {
  auto Unit = costUnit(S, O);
  if (!Unit)
    return Unit.takeError();
  return exportCalls(S, O, false, [&](CallQuery &Q, raw_ostream &Out) {
    return exportSvg(Q, *Unit, exportTitle(S), Out);
  });
}

extern const Command ExportSvgCommand = {
    .Name = "export svg",
    .Summary = "Draw a flame graph that a browser opens",
    .Help = R"(
One self-contained file. A click on a frame zooms in, a click beside them out.

  rewind export svg -o out.svg
)",
    .Options = CostOptions,
    .MaxArguments = 0,
    .Run = svg,
    .OnlyAsks = true,
};

} // namespace rw
