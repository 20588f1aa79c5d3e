//===- HtmBlocks.cpp - rewind htm blocks ----------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmReports.h"

using namespace llvm;

namespace rw {

static Error runHtmBlocks(const FileRequest &R) {
  auto Limit = R.Options.number("count");
  if (!Limit)
    return Limit.takeError();
  htm::BasicBlocks Blocks;
  htm::Summary Sum;
  if (Error E = htm::decodeFile(R, Blocks, Sum))
    return E;
  htm::printBlocks(R.Out, Blocks, Limit->value_or(~uint64_t(0)),
                   R.Options.has("json"));
  return Error::success();
}

static constexpr OptionSpec HtmBlocksOptions[] = {opt::Json, opt::Count};

extern const Command HtmBlocksCommand = {
    .Name = "htm blocks",
    .Summary = "List the basic blocks of a Core HTM dump by weight",
    .Help = R"(
Addresses of the first and the last instruction of each block, how many
instructions it has, how often it ran and its share of all instructions executed.
A block ends at a branch, taken or not, and where control comes or goes. Reads
the dump itself: no store is needed.

  rewind htm blocks -c 20
)",
    .Options = HtmBlocksOptions,
    .MaxArguments = 0,
    .RunOnFile = runHtmBlocks,
    .OnlyAsks = true,
};

} // namespace rw
