//===- HtmMix.cpp - rewind htm mix ----------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmReports.h"

using namespace llvm;

namespace rw {

static Error runHtmMix(const FileRequest &R) {
  auto Limit = R.Options.number("count");
  if (!Limit)
    return Limit.takeError();
  htm::InstructionMix Mix;
  htm::Summary Sum;
  if (Error E = htm::decodeFile(R, Mix, Sum))
    return E;
  htm::printMix(R.Out, Mix, Limit->value_or(~uint64_t(0)),
                R.Options.has("json"));
  return Error::success();
}

static constexpr OptionSpec HtmMixOptions[] = {opt::Json, opt::Count};

extern const Command HtmMixCommand = {
    .Name = "htm mix",
    .Summary = "Count the instructions of a Core HTM dump by mnemonic",
    .Help = R"(
Mnemonic, executions and share of all, most executed first. Reads the dump
itself: no store is needed.

  rewind htm mix -c 20
)",
    .Options = HtmMixOptions,
    .MaxArguments = 0,
    .RunOnFile = runHtmMix,
    .OnlyAsks = true,
};

} // namespace rw
