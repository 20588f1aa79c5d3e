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

static Error run(const FileRequest &R) {
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
  Disassembler Code;
  qtrace::ReadInsn I;
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
    qtrace::printRecord(R.Out, Code, I);
  }
  return Error::success();
}

static constexpr OptionSpec Options[] = {opt::Count};

extern const Command QtraceDumpCommand = {
    "qtrace dump",
    "Print a Qtrace file, a line for each instruction",
    "",
    R"(
Address, instruction, and behind a '#' what its record tells besides: the data
address with its real page and page size, the page of the next instruction where
it changes, and how a run of instructions ended (08 branch, 80 conditional
branch, 10 exception). For a Core HTM dump, export it first.

  rewind export qtrace htm.bin.n0.p0.c0.t0 -o trace.qt
  rewind qtrace dump trace.qt -c 100
)",
    Options,
    0,
    0,
    nullptr,
    run};

} // namespace rw
