//===- HtmStats.cpp - rewind htm stats ------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmReports.h"
#include "commands/support/Format.h"

using namespace llvm;

namespace rw {

static json::Object toJson(const std::map<uint64_t, uint64_t> &Counts) {
  json::Object O;
  for (auto &[Number, Count] : Counts)
    O[Number == ~uint64_t(0) ? "unknown" : std::to_string(Number)] = Count;
  return O;
}

static Error runHtmStats(const FileRequest &R) {
  htm::Statistics S;
  htm::Summary Sum;
  if (Error E = htm::decodeFile(R, S, Sum))
    return E;
  if (!R.Options.has("json")) {
    htm::printStatistics(R.Out, S, Sum);
    return Error::success();
  }
  json::Object J{{"instructions", json::Object{{"total", S.Total},
                                               {"system", S.System},
                                               {"opal", S.Opal},
                                               {"user", S.user()},
                                               {"bin", S.Bin},
                                               {"lib", S.Lib},
                                               {"idle", S.Idle},
                                               {"no_address", S.Unplaced}}},
                 {"context_switches", S.ContextSwitches},
                 {"exceptions", S.Exceptions},
                 {"exception_vectors", toJson(S.ExceptionVectors)},
                 {"syscalls", S.SystemCalls},
                 {"syscall_numbers", toJson(S.SystemCallNumbers)},
                 {"opal_calls", S.OpalCalls},
                 {"hcalls", S.HyperCalls},
                 {"hcall_numbers", toJson(S.HyperCallNumbers)},
                 {"words", Sum.Words},
                 {"gaps", Sum.Gaps},
                 {"walks", Sum.Walks},
                 {"invalid_records", Sum.numDamages()}};
  if (Sum.Stamps[unsigned(htm::StampKind::Time)])
    J["cycles"] = Sum.Cycles;
  printJson(R.Out, std::move(J));
  return Error::success();
}

static constexpr OptionSpec HtmStatsOptions[] = {opt::Json};

extern const Command HtmStatsCommand = {
    .Name = "htm stats",
    .Summary = "Count a Core HTM dump: who ran, what was called",
    .Help = R"(
Counts instructions by where they lie (kernel, OPAL, program, libraries), and
context switches, exceptions, system calls, OPAL calls and hypercalls, by the
conventions of Linux. Reads the dump itself: no store is needed.

  rewind htm stats
)",
    .Options = HtmStatsOptions,
    .MaxArguments = 0,
    .RunOnFile = runHtmStats,
    .OnlyAsks = true,
};

} // namespace rw
