//===- Truncate.cpp - rewind truncate -------------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/Truncate.h"
#include "commands/CallSupport.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace rw {

static Error truncateFile(const FileRequest &F) {
  const ParsedOptions &O = F.Options;
  std::unique_ptr<raw_fd_ostream> File;
  StringRef Path = O.value("output").value_or("-");
  if (O.has("json") && Path == "-")
    return userError("--json tells what was written: name a file with -o");
  if (Path != "-") {
    if (sys::fs::equivalent(Path, F.Path))
      return userError("-o names the trace itself");
    std::error_code EC;
    File = std::make_unique<raw_fd_ostream>(Path, EC);
    if (EC)
      return userError("cannot write " + Path + ": " + EC.message());
  }
  auto Report = truncateTrace(F.Path, File ? *File : F.Out, F.Watch);
  if (File) {
    File->close();
    std::error_code EC = File->error();
    File->clear_error();
    if (!Report || EC)
      sys::fs::remove(Path);
    if (EC) {
      consumeError(Report.takeError());
      return userError("cannot write " + Path + ": " + EC.message());
    }
  }
  if (!Report)
    return Report.takeError();
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

static constexpr OptionSpec Options[] = {
    {"json", 0, "", "with -o: print lines and cut as JSON"}, opt::Output};

extern const Command TruncateCommand = {
    "truncate", "Cut a trace where it falls into a tight loop",
    "",
    R"(
Copies a Tarmac trace up to where the program hangs: a loop in which no register
changes, or exceptions that only raise exceptions. The trace may be standard
input (-), and needs no store.

  rewind truncate long.tarmac -o short.tarmac
)",        Options,
    0,          0,
    nullptr,    truncateFile};

} // namespace rw
