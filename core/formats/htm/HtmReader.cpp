//===- HtmReader.cpp - Core HTM dumps as a trace --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/htm/HtmReader.h"
#include "core/formats/BatchPipe.h"
#include "core/formats/htm/ItemMaker.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace rw::htm {

namespace {

class HtmReader final : public TraceReader {
public:
  HtmReader(ByteSource Source, uint64_t Bytes, bool Ahead,
            const ReaderOptions &Options)
      : Source(std::move(Source)), Bytes(Bytes), Ahead(Ahead),
        Options(Options) {}
  StringRef formatName() const override { return "htm"; }
  Error read(TraceSink &Sink) override {
    if (Options.Threads == 1)
      return readInto(Sink, Options.Progress);
    std::atomic<uint64_t> Done = 0;
    return readAhead(
        Sink,
        [&](TraceSink &Ahead) {
          return readInto(Ahead, [&](uint64_t D, uint64_t) { Done = D; });
        },
        [&] {
          if (Options.Progress)
            Options.Progress(Done, Bytes);
        });
  }

private:
  Error readInto(TraceSink &Sink,
                 const std::function<void(uint64_t, uint64_t)> &Progress) {
    ItemMaker Maker(Sink, Code, Options.Settings.has(format_option::BigEndian),
                    Options.CodePages);
    DecoderOptions O;
    O.Cancel = Options.Cancel;
    if (Progress)
      O.Progress = [&](uint64_t Done) { Progress(Done, Bytes); };
    O.ReadAhead = Ahead && Options.Threads != 1;
    if (Options.ChunkBytes)
      O.WindowWords = std::max<size_t>(Options.ChunkBytes / 8, 256);
    HtmDecoder Decoder(std::move(Source), Maker, O);
    if (Error E = Decoder.run())
      return E;
    return Maker.end(Decoder.summary());
  }

  CodeTable Code;
  ByteSource Source;
  uint64_t Bytes;
  bool Ahead;
  ReaderOptions Options;
};
} // namespace

std::unique_ptr<TraceReader> makeReader(ByteSource Source, uint64_t Bytes,
                                        const ReaderOptions &Options) {
  return std::make_unique<HtmReader>(std::move(Source), Bytes, /*Ahead=*/false,
                                     Options);
}

static unsigned sniff(StringRef, ArrayRef<uint8_t> Head) {
  Head = Head.drop_front(firstTarMember(Head).Offset);
  // Tags make up a good part of the words of any dump, and hardly ever any of
  // another file's.
  size_t Words = std::min<size_t>(Head.size() / 8, 4096), Tags = 0, NonZero = 0;
  for (size_t I = 0; I < Words; ++I) {
    uint64_t W = support::endian::read64be(&Head[8 * I]);
    NonZero += W != 0;
    if (hasStampTag(W)) {
      Tags += parseStamp(W).Kind != StampKind::Undefined;
    } else if (tagOf(W) == P8Tag) {
      ++Tags;
    } else if (tagOf(W) == P10Tag) {
      Tags += p10Type(W) != P10Type::Invalid;
    }
  }
  if (!Tags)
    return 0;
  // A dump may begin with a page's worth of walk words.
  if (Tags * 64 < NonZero)
    return 0;
  return Tags >= 2 || NonZero <= 4 ? 95 : 60;
}

static TraceFormat::Reader open(std::unique_ptr<InputStream> In,
                                const ReaderOptions &Options) {
  // How far the reading is, only the size of a plain file can tell.
  uint64_t Bytes = In->isSeekable() ? In->bytesTotal() : 0;
  bool Ahead = In->isRegular();
  auto Source = openBytes(std::move(In));
  if (!Source)
    return Source.takeError();
  return std::make_unique<HtmReader>(std::move(*Source), Bytes, Ahead, Options);
}

extern const TraceFormat Format = {
    .Name = "htm",
    .Description = "POWER8 and POWER10 Core HTM dumps",
    .Options = format_option::BigEndian,
    .Sniff = sniff,
    .OpenStream = open,
};

} // namespace rw::htm
