//===- ExportQtrace.cpp - rewind export qtrace ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/HtmDecoderTool.h"
#include "commands/HtmReports.h"
#include "core/formats/htm/HtmToQtrace.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

Expected<htm::QtraceCounts> htm::writeQtrace(StringRef Dump, StringRef Out,
                                             DecoderOptions Options,
                                             BatchSink *Beside, Summary &Sum) {
  // Under another name until it is whole.
  auto Temp = sys::fs::TempFile::create(Out + ".tmp%%%%%%%%");
  if (!Temp)
    return createStringError(std::errc::io_error, "cannot write %s: %s",
                             Out.str().c_str(),
                             toString(Temp.takeError()).c_str());
  raw_fd_ostream OS(Temp->FD, /*shouldClose=*/false, /*unbuffered=*/true);
  Translator Translation;
  Options.Translate = &Translation;
  QtraceSink Sink(OS, &Translation);
  Tee Both;
  Both.Sinks.push_back(&Sink);
  if (Beside)
    Both.Sinks.push_back(Beside);
  Error E = decodeFile(Dump, Both, Options, Sum);
  Sink.close(); // on an error, too: it may still be writing
  std::error_code Problem = OS.error();
  OS.clear_error();
  if (!E && Problem)
    E = createStringError(Problem, "cannot write %s: %s", Out.str().c_str(),
                          Problem.message().c_str());
  if (E)
    return joinErrors(std::move(E), Temp->discard());
  if (Error Kept = Temp->keep(Out))
    return Kept;
  return QtraceCounts{Sink.written(), Sink.writer().droppedRealAddresses()};
}

static Error run(const FileRequest &R) {
  std::optional<StringRef> Out = R.Options.value("output");
  if (!Out)
    return userError("where to? Give --output <file>");
  htm::Summary Sum;
  htm::DecoderOptions O;
  O.Cancel = R.Watch.Cancel;
  auto Counts = htm::writeQtrace(R.Path, *Out, O, nullptr, Sum);
  if (!Counts)
    return Counts.takeError();
  htm::warnOfDamage(R, Sum);
  if (uint64_t Left = Sum.Instructions - Counts->Written)
    R.Warn(formatv("{0} instructions whose address or prefix the dump does not "
                   "tell are left out",
                   Left));
  if (Counts->DroppedReal)
    R.Warn(formatv("{0} real addresses do not fit into 32-bit page numbers and "
                   "are left out",
                   Counts->DroppedReal));
  R.Out << *Out << ": " << Sum.Instructions - Sum.Unplaced << " instructions\n";
  return Error::success();
}

static constexpr OptionSpec Options[] = {
    {"output", 'o', "file", "the Qtrace file to write"},
};

extern const Command ExportQtraceCommand = {
    "export qtrace",
    "Convert a Core HTM dump to a Qtrace file",
    "",
    R"(
Instructions, data addresses, real page numbers with page sizes, whole radix
walks where the dump has them, and how each run of instructions ended. Reads the
dump itself, in constant memory: no store is needed. What Qtrace cannot hold
(time, marks, second data addresses, process ids) is not in the file.

  rewind export qtrace htm.bin.n0.p0.c0.t0 -o trace.qt
)",
    Options,
    0,
    0,
    nullptr,
    run};

} // namespace rw
