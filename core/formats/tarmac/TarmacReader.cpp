//===- TarmacReader.cpp - Arm Tarmac text traces --------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/tarmac/TarmacReader.h"
#include "core/formats/tarmac/ChunkSource.h"
#include "core/formats/tarmac/Tracker.h"
#include "core/support/BoundedQueue.h"
#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>

namespace rw::tarmac {

/// Small enough to stay in a core's second-level cache while it is parsed.
static constexpr uint64_t DefaultChunkBytes = 1 << 20;
static constexpr size_t HeadBytes = 1 << 20;

namespace {

/// What the beginning of a text tells.
struct HeadFacts {
  ISA FirstIsa = ISA::Unknown;
  unsigned Recognised = 0, Lines = 0;
};

class TarmacReader final : public TraceReader {
public:
  TarmacReader(std::unique_ptr<InputStream> In, const ReaderOptions &Options)
      : Path(In->name()), Options(Options), In(std::move(In)) {}
  llvm::StringRef formatName() const override { return "tarmac"; }
  llvm::Error read(TraceSink &Sink) override;

private:
  llvm::Error readInline(ChunkSource &Source, Tracker &T, TraceSink &Sink);
  llvm::Error readThreaded(ChunkSource &Source, Tracker &T, TraceSink &Sink,
                           unsigned Threads);
  llvm::Error deliver(Chunk &C, Tracker &T, TraceSink &Sink);
  bool cancelled() const {
    return Options.Cancel && Options.Cancel->load(std::memory_order_relaxed);
  }
  llvm::Error interrupted() const {
    return llvm::createStringError(std::make_error_code(std::errc::interrupted),
                                   "reading '" + Path + "' was interrupted");
  }

  const std::string Path;
  const ReaderOptions Options;
  std::unique_ptr<InputStream> In;
  ParserOptions Parsing;
  SharedNames Names;
};

} // namespace

static HeadFacts examine(llvm::ArrayRef<uint8_t> Head,
                         const ParserOptions &Options) {
  HeadFacts F;
  std::vector<char> Text(Head.size() + SlackBytes, '\n');
  std::copy(Head.begin(), Head.end(), Text.begin());
  SharedNames NoNames;
  LineParser P(Options, NoNames);
  // A last line without end is complete if the file is.
  size_t Size = Head.size();
  if (Size < HeadBytes && Size && Head.back() != '\n')
    ++Size;
  F.FirstIsa =
      P.examine(Text.data(), Text.data() + Size, F.Recognised, F.Lines);
  return F;
}

static unsigned sniff(llvm::StringRef, llvm::ArrayRef<uint8_t> Head) {
  if (std::find(Head.begin(), Head.end(), 0) != Head.end())
    return 0;
  HeadFacts F = examine(Head, {});
  if (F.Recognised == 0)
    return 0;
  if (F.FirstIsa != ISA::Unknown || F.Recognised * 2 >= F.Lines)
    return 90;
  return 30;
}

static TraceFormat::Reader open(std::unique_ptr<InputStream> In,
                                const ReaderOptions &Options) {
  return std::make_unique<TarmacReader>(std::move(In), Options);
}

static constexpr OptionSpec OptionTable[] = {format_option::BigEndian,
                                             ImplicitThumb};

const TraceFormat Format = {
    .Name = "tarmac",
    .Description = "Arm Tarmac text (plain, gzip, xz, zstd or bzip2)",
    .Options = OptionTable,
    .Sniff = sniff,
    .OpenStream = open,
};

llvm::Error TarmacReader::read(TraceSink &Sink) {
  if (!In)
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "'" + Path + "' was already read");
  Parsing.BigEndian = Options.Settings.has(format_option::BigEndian);
  Parsing.ImplicitThumb = Options.Settings.has(ImplicitThumb);
  auto Head = In->peek(HeadBytes);
  if (!Head)
    return Head.takeError();
  if (Head->empty())
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "'" + Path + "' is empty");
  HeadFacts Facts = examine(*Head, Parsing);
  if (Facts.Recognised == 0)
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "'" + Path + "' is no Tarmac trace: none of its first " +
            llvm::Twine(Facts.Lines) +
            " lines is an instruction (IT, IS, ES), a register (R) or a "
            "memory access (MR4, LD, ...)");

  ChunkSource Source(*In, Parsing,
                     Options.ChunkBytes ? Options.ChunkBytes
                                        : DefaultChunkBytes);
  Tracker T(Parsing, Names, Facts.FirstIsa);
  unsigned Threads = Options.Threads
                         ? Options.Threads
                         : std::max(1u, std::thread::hardware_concurrency());
  Threads = std::min(Threads, 64u);
  llvm::Error E = Threads == 1 ? readInline(Source, T, Sink)
                               : readThreaded(Source, T, Sink, Threads);
  if (E)
    return E;
  if (T.instructions() == 0)
    return llvm::createStringError(
        std::make_error_code(std::errc::invalid_argument),
        "'" + Path + "' holds no instruction: none of its " +
            llvm::Twine(T.header().TotalLines) + " lines is IT, IS or ES");
  In.reset();
  return Sink.finish(T.header());
}

llvm::Error TarmacReader::deliver(Chunk &C, Tracker &T, TraceSink &Sink) {
  T.apply(C);
  if (Options.Progress)
    Options.Progress(In->bytesDone(), In->bytesTotal());
  return Sink.consume(C.Parsed.Batch);
}

llvm::Error TarmacReader::readInline(ChunkSource &Source, Tracker &T,
                                     TraceSink &Sink) {
  LineParser P(Parsing, Names);
  Chunk C;
  for (;;) {
    if (cancelled())
      return interrupted();
    llvm::Expected<bool> More = Source.next(C);
    if (!More)
      return More.takeError();
    if (!*More)
      return llvm::Error::success();
    P.parse(C);
    if (llvm::Error E = deliver(C, T, Sink))
      return E;
  }
}

namespace {

/// Chunks on their way from the file through the parsers to the caller, who
/// takes them in order. A fixed number of them goes round, which bounds memory.
class Pipeline {
public:
  Pipeline(ChunkSource &Source, const ParserOptions &Options,
           const SharedNames &Names, InputStream &In, unsigned Threads)
      : Source(Source), In(In), Free(2 * Threads + 1),
        InOrder(2 * Threads + 1) {
    for (unsigned I = 0; I < 2 * Threads + 1; ++I)
      Free.push(std::make_unique<Chunk>());
    for (unsigned I = 0; I < Threads; ++I)
      Workers.emplace_back([this, &Options, &Names] {
        LineParser P(Options, Names);
        while (std::optional<std::unique_ptr<Chunk>> C = Free.pop())
          if (!work(P, std::move(*C)))
            break;
      });
  }
  ~Pipeline() {
    Ended = true;
    Free.close();
    for (std::thread &W : Workers)
      W.join();
    llvm::consumeError(std::move(Failure));
  }

  /// The next chunk in order; null at the end or on failure, see takeError.
  /// Throws what its worker threw.
  std::unique_ptr<Chunk> take() {
    auto Next = InOrder.pop();
    return Next ? Next->get() : nullptr;
  }
  void giveBack(std::unique_ptr<Chunk> C) { Free.push(std::move(C)); }
  /// Once take() has told the end.
  llvm::Error takeError() { return std::move(Failure); }
  uint64_t bytesDone() const { return BytesDone.load(); }

private:
  /// Fills and parses \p C; false if there is no more.
  bool work(LineParser &P, std::unique_ptr<Chunk> C) {
    std::promise<std::unique_ptr<Chunk>> Parsed;
    {
      // Reading (and decompressing) is one at a time, beside the parsing; what
      // is read takes its place in the order at once.
      std::lock_guard<std::mutex> Reading(SourceMutex);
      if (Ended || !fill(*C, Parsed)) {
        Ended = true;
        InOrder.close();
        return false;
      }
    }
    try {
      P.parse(*C);
      Parsed.set_value(std::move(C));
    } catch (...) {
      Parsed.set_exception(std::current_exception());
    }
    return true;
  }
  bool fill(Chunk &C, std::promise<std::unique_ptr<Chunk>> &Parsed) {
    try {
      llvm::Expected<bool> More = Source.next(C);
      BytesDone = In.bytesDone();
      if (More && *More)
        return InOrder.push(Parsed.get_future());
      if (!More)
        Failure = llvm::joinErrors(std::move(Failure), More.takeError());
    } catch (...) {
      InOrder.push(Parsed.get_future());
      Parsed.set_exception(std::current_exception());
    }
    return false;
  }

  ChunkSource &Source;
  InputStream &In;
  BoundedQueue<std::unique_ptr<Chunk>> Free;
  BoundedQueue<std::future<std::unique_ptr<Chunk>>> InOrder;
  std::mutex SourceMutex;
  std::atomic<bool> Ended = false;
  llvm::Error Failure = llvm::Error::success();
  std::atomic<uint64_t> BytesDone = 0;
  std::vector<std::thread> Workers;
};

} // namespace

llvm::Error TarmacReader::readThreaded(ChunkSource &Source, Tracker &T,
                                       TraceSink &Sink, unsigned Threads) {
  Pipeline P(Source, Parsing, Names, *In, Threads);
  while (std::unique_ptr<Chunk> C = P.take()) {
    if (cancelled())
      return interrupted();
    T.apply(*C);
    if (Options.Progress)
      Options.Progress(P.bytesDone(), In->bytesTotal());
    if (llvm::Error E = Sink.consume(C->Parsed.Batch))
      return E;
    P.giveBack(std::move(C));
  }
  return P.takeError();
}

} // namespace rw::tarmac
