//===- ExportSupport.cpp - What exports of calls share --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/export/ExportSupport.h"
#include "core/store/TraceStore.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

Expected<CostUnit> costUnit(Session &S, const ParsedOptions &O) {
  if (!O.has("time"))
    return CostUnit::Instructions;
  if (!S.Store.header().Can.Time)
    return userError("the trace tells no time");
  return CostUnit::Time;
}

std::string exportTitle(const Session &S) {
  return sys::path::filename(S.TracePath).str();
}

Error exportCalls(Session &S, const ParsedOptions &O, bool Ttu,
                  function_ref<Error(CallQuery &, raw_ostream &)> Run) {
  if (O.has("json") && O.value("output").value_or("-") == "-")
    return usageError("--json tells what was written: name a file with -o");
  auto Calls = CallsOfSession::open(S, Ttu, !O.has("no-offsets"));
  if (!Calls)
    return Calls.takeError();
  auto File = AnswerFile::open(S, O);
  if (!File)
    return File.takeError();
  CallQuery Q = (*Calls)->query();
  return (*File)->finish(Run(Q, (*File)->os()), O.has("json"));
}

} // namespace rw
