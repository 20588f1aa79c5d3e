//===- HtmDecoderTool.cpp - rewind htmdecoder -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/power/HtmDecoderTool.h"
#include "commands/power/HtmReports.h"
#include "commands/support/AnswerFile.h"
#include "core/KnownFile.h"
#include "core/formats/htm/Translation.h"
#include "core/support/Printable.h"

using namespace llvm;

namespace rw {

static const char Usage[] =
    "Usage: rewind htmdecoder [-Ddsib]... [-o <outfile.qt>] <htmdump>\n"
    "\n"
    "  -D  also a line for each stamp\n"
    "  -d  a line for each instruction, and totals\n"
    "  -s  statistics\n"
    "  -i  instruction mix\n"
    "  -b  basic blocks\n"
    "  -o  the Qtrace file to write; without any option <htmdump>.qt\n";

int runHtmDecoder(ArrayRef<StringRef> Words, raw_ostream &Out, raw_ostream &Err,
                  const std::atomic<bool> *Cancel) {
  enum { Good = 0, Failed = 1, Misused = 2, Damaged = 3, Interrupted = 130 };
  bool Stamps = false, Lines = false, Stats = false, Mix = false,
       Blocks = false;
  StringRef Output, Dump;
  auto misused = [&](const Twine &Why) {
    Err << "rewind htmdecoder: " << Why << "\n" << Usage;
    return int(Misused);
  };
  for (size_t I = 0; I < Words.size(); ++I) {
    StringRef Word = Words[I];
    if (Word == "-h" || Word == "--help") {
      Out << Usage;
      return Good;
    }
    if (!Word.starts_with("-") || Word == "-") {
      if (!Dump.empty())
        return misused("more than one dump");
      Dump = Word;
      continue;
    }
    for (size_t K = 1; K < Word.size(); ++K) {
      switch (Word[K]) {
      case 'D':
        Stamps = Lines = true;
        continue;
      case 'd':
        Lines = true;
        continue;
      case 's':
        Stats = true;
        continue;
      case 'i':
        Mix = true;
        continue;
      case 'b':
        Blocks = true;
        continue;
      case 'o':
        if (K + 1 < Word.size())
          Output = Word.drop_front(K + 1);
        else if (++I < Words.size())
          Output = Words[I];
        else
          return misused("-o without a file");
        K = Word.size();
        continue;
      default:
        return misused("unknown option -" + Twine(Word[K]));
      }
    }
  }
  if (Dump.empty())
    return misused("no dump given");
  // As its model does, which is there to convert.
  std::string Beside = (Dump + ".qt").str();
  if (Output.empty() && !Lines && !Stats && !Mix && !Blocks)
    Output = Beside;

  htm::Listing List(Out, /*Everything=*/false, Stamps, ~uint64_t(0));
  htm::Statistics Statistics;
  htm::InstructionMix InstructionMix;
  htm::BasicBlocks BasicBlocks;
  htm::Tee Sinks;
  if (Lines)
    Sinks.Sinks.push_back(&List);
  if (Stats)
    Sinks.Sinks.push_back(&Statistics);
  if (Mix)
    Sinks.Sinks.push_back(&InstructionMix);
  if (Blocks)
    Sinks.Sinks.push_back(&BasicBlocks);

  htm::Summary Sum;
  htm::DecoderOptions O;
  O.Cancel = Cancel;
  O.KeepTimeStamps = Stamps;
  htm::Translator Translation;
  uint64_t Dropped = 0;
  bool Assumed = false;
  if (Lines)
    O.Translate = &Translation;
  auto convert = [&]() -> Error {
    if (Output.empty())
      return htm::decodeFile(Dump, Sinks, O, Sum);
    OutputFile::Options File;
    File.Reserved = reservedFiles(Dump, "", {});
    File.Known = [](StringRef Path) { return knownFileBut("qtrace", Path); };
    File.Cancel = Cancel;
    auto Qtrace = OutputFile::create(Output, File);
    if (!Qtrace)
      return Qtrace.takeError();
    auto Counts = htm::writeQtrace(Dump, (*Qtrace)->os(), O, &Sinks, Sum);
    if (!Counts)
      return Counts.takeError();
    Dropped = Counts->DroppedReal;
    Assumed = Counts->AssumedPageSizes;
    return (*Qtrace)->commit();
  };
  Error E = convert();
  htm::printProblems(Out, Sum);
  if (E) {
    bool Stopped = Cancel && *Cancel;
    Err << "rewind htmdecoder: " << printableLines(toString(std::move(E)))
        << "\n";
    return Stopped ? Interrupted : Failed;
  }
  if (Stats)
    htm::printStatistics(Out, Statistics, Sum);
  if (Mix)
    htm::printMix(Out, InstructionMix, ~uint64_t(0));
  if (Blocks)
    htm::printBlocks(Out, BasicBlocks, ~uint64_t(0));
  if (Lines && !Stats)
    Out << "Instructions: " << Sum.Instructions
        << "\nRecords Scanned: " << Sum.Words
        << "\nInvalid records: " << Sum.numDamages() << "\n";
  if (Dropped)
    Err << "rewind htmdecoder: " << Dropped
        << " real addresses do not fit into 32-bit page numbers and are left "
           "out\n";
  if (Assumed)
    Err << "rewind htmdecoder: " << htm::AssumedPageSizesNote;
  // That the buffer ended inside a record is no flaw of the dump.
  return Sum.numDamages() > Sum.Damages[unsigned(htm::Damage::Truncated)]
             ? Damaged
             : Good;
}

} // namespace rw
