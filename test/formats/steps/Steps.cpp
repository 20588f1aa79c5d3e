//===- Steps.cpp - A small trace format, as an example --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text whose first line is "steps", then an address of AArch64 code in hex on
// every line. <trace>.thread, if there is one, holds the name of the thread.
//
//===----------------------------------------------------------------------===//

#include "core/formats/TraceFormat.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace rw::steps {

static constexpr OptionSpec From{"steps-from", 0, "address",
                                 "where the code of steps begins"};
static constexpr StringLiteral Magic = "steps\n";
static constexpr uint64_t MaxNameBytes = 1 << 10;

static std::string nameFile(StringRef Path) { return Path.str() + ".thread"; }

namespace {
class StepsReader final : public TraceReader {
public:
  StepsReader(std::unique_ptr<InputStream> In, uint64_t Base)
      : In(std::move(In)), Base(Base) {}
  StringRef formatName() const override { return "steps"; }

  Error read(TraceSink &Sink) override {
    auto Text = contents();
    if (!Text)
      return Text.takeError();
    StringRef Rest = *Text;
    if (!Rest.consume_front(Magic))
      return bad("expected \"steps\" on the first line");
    ItemBatch Items;
    Items.LeadLines = NumLines = 1;
    while (!Rest.empty()) {
      ++NumLines;
      StringRef Word;
      std::tie(Word, Rest) = Rest.split('\n');
      InsnItem I;
      if (Word.getAsInteger(16, I.PC))
        return bad("line " + Twine(NumLines) +
                   ": expected an address in hex, not '" + Word + "'");
      I.PC += Base;
      I.Size = 4;
      I.Lines = 1;
      I.Isa = ISA::A64;
      I.Flags = InsnItem::Executed;
      Items.Insns.push_back(I);
    }
    if (Error E = Sink.consume(Items))
      return E;
    return Sink.finish(header());
  }

private:
  Error bad(const Twine &Text) const {
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "'" + In->name() + "': " + Text);
  }
  Expected<std::string> contents() {
    std::string Text;
    for (;;) {
      char Piece[4096];
      auto N = In->read(Piece);
      if (!N)
        return N.takeError();
      if (!*N)
        return Text;
      Text.append(Piece, *N);
    }
  }
  TraceHeader header() const {
    TraceHeader H;
    H.Format = "steps";
    H.Architecture = Arch::AArch64;
    // It tells where the code went and nothing else: no opcodes, registers,
    // accesses or time.
    H.Can.Lines = true;
    H.TotalLines = NumLines;
    H.Threads.resize(1);
    if (auto Name = readWholeFile(nameFile(In->name()), MaxNameBytes))
      H.Threads[0].Name = (*Name)->getBuffer().trim().str();
    else
      consumeError(Name.takeError());
    return H;
  }

  std::unique_ptr<InputStream> In;
  const uint64_t Base;
  uint64_t NumLines = 0;
};
} // namespace

static unsigned sniff(StringRef, ArrayRef<uint8_t> Head) {
  return toStringRef(Head).starts_with(Magic) ? 100 : 0;
}

static TraceFormat::Reader open(std::unique_ptr<InputStream> In,
                                const ReaderOptions &Options) {
  uint64_t Base = 0;
  StringRef Given = Options.Settings.value(From);
  if (!Given.empty() && Given.getAsInteger(0, Base))
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "--steps-from: '" + Given + "' is no address");
  return std::make_unique<StepsReader>(std::move(In), Base);
}

static std::vector<std::string> companions(StringRef Path,
                                           const FormatSettings &) {
  if (Path.ends_with(".steps"))
    return {nameFile(Path)};
  return {};
}

extern const TraceFormat Format = {
    .Name = "steps",
    .Description = "addresses, one a line",
    .Options = From,
    .Sniff = sniff,
    .OpenStream = open,
    .Companions = companions,
};

} // namespace rw::steps
