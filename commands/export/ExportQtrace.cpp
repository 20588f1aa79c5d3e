//===- ExportQtrace.cpp - rewind export qtrace ----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmDecoderTool.h"
#include "commands/power/HtmReports.h"
#include "commands/support/AnswerFile.h"
#include "commands/support/Format.h"
#include "core/formats/htm/HtmToQtrace.h"
#include "core/support/Printable.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

Expected<htm::QtraceCounts> htm::writeQtrace(StringRef Dump, raw_ostream &Out,
                                             DecoderOptions Options,
                                             BatchSink *Beside, Summary &Sum) {
  Translator Translation;
  Options.Translate = &Translation;
  QtraceSink Sink(Out, &Translation);
  Tee Both;
  Both.Sinks.push_back(&Sink);
  if (Beside)
    Both.Sinks.push_back(Beside);
  Error E = decodeFile(Dump, Both, Options, Sum);
  Sink.close(); // on an error, too: it may still be writing
  if (E)
    return E;
  return QtraceCounts{Sink.written(), Sink.writer().droppedRealAddresses(),
                      Sink.writer().assumedPageSizes()};
}

static Error runExportQtrace(const FileRequest &R) {
  if (!R.Options.has("output"))
    return usageError("where to? Give --output <file>");
  if (R.Options.has("json") && *R.Options.value("output") == "-")
    return usageError("--json tells what was written: name a file with -o");
  auto File = AnswerFile::open(R);
  if (!File)
    return File.takeError();
  htm::Summary Sum;
  htm::DecoderOptions O;
  O.Cancel = R.Watch.Cancel;
  auto Counts = htm::writeQtrace(R.Path, (*File)->os(), O, nullptr, Sum);
  if (Error E = (*File)->close(Counts ? Error::success() : Counts.takeError()))
    return E;
  htm::warnOfDamage(R, Sum);
  if (uint64_t Left = Sum.Instructions - Counts->Written)
    R.Warn(formatv("{0} instructions whose address or prefix the dump does not "
                   "tell are left out",
                   Left));
  if (Counts->DroppedReal)
    R.Warn(formatv("{0} real addresses do not fit into 32-bit page numbers and "
                   "are left out",
                   Counts->DroppedReal));
  if (R.Options.has("json"))
    printJson(R.Out,
              json::Object{{"file", json::fixUTF8((*File)->path())},
                           {"bytes", (*File)->bytes()},
                           {"instructions", Sum.Instructions - Sum.Unplaced},
                           {"left_out", Sum.Instructions - Counts->Written},
                           {"real_addresses_left_out", Counts->DroppedReal},
                           {"page_sizes_assumed", Counts->AssumedPageSizes}});
  else if (!(*File)->path().empty()) {
    R.Out << printable((*File)->path()) << ": "
          << Sum.Instructions - Sum.Unplaced << " instructions\n";
    if (Counts->AssumedPageSizes)
      R.Out << htm::AssumedPageSizesNote;
  }
  return Error::success();
}

static constexpr OptionSpec ExportQtraceOptions[] = {
    {"json", 0, "", "with -o: print what was written as JSON"},
    opt::Output,
    opt::Replace};

extern const Command ExportQtraceCommand = {
    .Name = "export qtrace",
    .Summary = "Convert a Core HTM dump to a Qtrace file",
    .Help = R"(
Instructions, data addresses, real page numbers with page sizes, whole radix
walks where the dump has them, and how each run of instructions ended. Reads the
dump itself, in constant memory: no store is needed. What Qtrace cannot hold
(time, marks, second data addresses, process ids) is not in the file.

  rewind export qtrace -o out.qt
)",
    .Options = ExportQtraceOptions,
    .MaxArguments = 0,
    .RunOnFile = runExportQtrace,
};

} // namespace rw
