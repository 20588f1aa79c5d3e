//===- QtraceDump.cpp - rewind qtrace dump --------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/Command.h"
#include "core/formats/qtrace/QtraceText.h"

using namespace llvm;

namespace rw {

static Error runQtraceDump(const FileRequest &R) {
  auto Limit = R.Options.number("count");
  if (!Limit)
    return Limit.takeError();
  auto Stream = InputStream::open(R.Path, R.Watch.Cancel);
  if (!Stream)
    return Stream.takeError();
  auto Source = openBytes(std::move(*Stream));
  if (!Source)
    return Source.takeError();
  qtrace::QtraceParser Parser(std::move(*Source));
  qtrace::InstructionTexts Texts;
  qtrace::ReadInsn I;
  const bool Walks = R.Options.has("verbose");
  bool First = true;
  for (uint64_t Left = Limit->value_or(~uint64_t(0)); Left; --Left) {
    if (Error E = R.Watch.check())
      return E;
    auto Got = Parser.next(I);
    if (!Got)
      return createStringError(std::errc::invalid_argument, "%s: %s",
                               R.Path.c_str(),
                               toString(Got.takeError()).c_str());
    if (!*Got)
      break;
    if (R.Options.has("json")) {
      json::Object O = qtrace::recordJson(Texts, I);
      if (Walks && I.Data.HasWalk)
        O["data_walk"] = qtrace::walkJson(I.Data, I.DataEA.value_or(0));
      if (Walks && I.Real && I.Insn.HasWalk)
        O["walk"] = qtrace::walkJson(I.Insn, I.EA);
      R.Out << json::Value(std::move(O)) << "\n";
      continue;
    }
    // The header tells where the first instruction is.
    if (Walks && std::exchange(First, false))
      qtrace::printWalk(R.Out, "INSN", I.Insn, I.EA);
    qtrace::printRecord(R.Out, Texts, I);
    if (!Walks)
      continue;
    qtrace::printWalk(R.Out, "DATA", I.Data, I.DataEA.value_or(0));
    if (I.TellsNext)
      qtrace::printWalk(R.Out, "INSN", Parser.nextPlace(), Parser.nextEA());
  }
  return Error::success();
}

static constexpr OptionSpec QtraceDumpOptions[] = {
    opt::Json,
    opt::Count,
    {"verbose", 'v', "", "also the radix walks"},
};

extern const Command QtraceDumpCommand = {
    .Name = "qtrace dump",
    .Summary = "Print a Qtrace file, a line for each instruction",
    .Help = R"(
Address, instruction, and behind a '#' what its record tells besides: the data
address with its real page and page size, the page of the next instruction where
it changes, and how a run of instructions ended (08 branch, 80 conditional
branch, 10 exception). With -v also the radix walks: for each entry of the
guest's page tables and for the access, the addresses of the host's entries that
lead there with what each of them covers, and the real address. An instruction's
walk is told by the one before it. For a Core HTM dump, export it first.

  rewind qtrace dump -c 100 -v
)",
    .Options = QtraceDumpOptions,
    .MaxArguments = 0,
    .RunOnFile = runQtraceDump,
    .OnlyAsks = true,
};

} // namespace rw
