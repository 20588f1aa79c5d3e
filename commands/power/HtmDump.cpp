//===- HtmDump.cpp - rewind htm dump --------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmReports.h"
#include "core/formats/htm/Translation.h"

using namespace llvm;

namespace rw {

static Error runHtmDump(const FileRequest &R) {
  auto Limit = R.Options.number("count");
  if (!Limit)
    return Limit.takeError();
  bool Stamps = R.Options.has("stamps");
  htm::Listing List(R.Out, /*Everything=*/true, Stamps,
                    Limit->value_or(~uint64_t(0)));
  htm::Translator Translation;
  htm::Summary Sum;
  htm::DecoderOptions O;
  O.Translate = &Translation;
  O.KeepTimeStamps = Stamps;
  if (R.Options.has("json")) {
    htm::JsonListing Lines(R.Out, Stamps, Limit->value_or(~uint64_t(0)));
    return htm::decodeFile(R, Lines, Sum, O);
  }
  if (Error E = htm::decodeFile(R, List, Sum, O))
    return E;
  if (List.cut())
    R.Out << "... " << Sum.Instructions << " instructions in all\n";
  return Error::success();
}

static constexpr OptionSpec HtmDumpOptions[] = {
    opt::Json,
    opt::Count,
    {"stamps", 'D', "", "also a line for each stamp"},
};

extern const Command HtmDumpCommand = {
    .Name = "htm dump",
    .Summary = "Print a Core HTM dump, a line for each instruction",
    .Help = R"(
Address, opcode (prefix and suffix on lines of their own), real address, page
size (its logarithm), data addresses, MSR bits, LPID and PID, as far as the dump
tells. Reads the dump itself: no store is needed.

  rewind htm dump -D -c 100
)",
    .Options = HtmDumpOptions,
    .MaxArguments = 0,
    .RunOnFile = runHtmDump,
    .OnlyAsks = true,
};

} // namespace rw
