//===- Truncate.cpp - rewind truncate -------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/Truncate.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/Format.h"

using namespace llvm;

namespace rw {

static Error truncateFile(const FileRequest &F) {
  const ParsedOptions &O = F.Options;
  if (O.has("json") && O.value("output").value_or("-") == "-")
    return usageError("--json tells what was written: name a file with -o");
  auto File = AnswerFile::open(F);
  if (!File)
    return File.takeError();
  auto Report = truncateTrace(F.Path, (*File)->os(), F.Watch);
  if (Error E = (*File)->close(Report ? Error::success() : Report.takeError()))
    return E;
  if (O.has("json")) {
    json::Object J{{"lines", Report->Lines}, {"cut", Report->Cut}};
    if (Report->Cut)
      J["why"] = Report->Why;
    printJson(F.Out, std::move(J));
    return Error::success();
  }
  F.Warn(Report->Cut ? "cut after line " + std::to_string(Report->Lines) +
                           ": " + Report->Why
                     : "nothing to cut: " + std::to_string(Report->Lines) +
                           " lines copied");
  return Error::success();
}

static constexpr OptionSpec TruncateOptions[] = {
    {"json", 0, "", "with -o: print lines and cut as JSON"},
    opt::Output,
    opt::Replace};

extern const Command TruncateCommand = {
    .Name = "truncate",
    .Summary = "Cut a trace where it falls into a tight loop",
    .Help = R"(
Copies a Tarmac trace up to where the program hangs: a loop in which no register
changes, or exceptions that only raise exceptions; of several CPUs, where all
do that go on. The trace may be standard input (-), and needs no store.

  rewind truncate -o short.tarmac
)",
    .Options = TruncateOptions,
    .MaxArguments = 0,
    .RunOnFile = truncateFile,
};

} // namespace rw
