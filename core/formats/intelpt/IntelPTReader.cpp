//===- IntelPTReader.cpp - Intel PT recordings as a trace -----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/formats/intelpt/IntelPTReader.h"
#include "core/formats/intelpt/CycleClock.h"
#include "core/formats/intelpt/EventText.h"
#include "core/formats/intelpt/PerfFile.h"
#include "core/formats/intelpt/PiecePool.h"
#include "core/formats/intelpt/ThreadTable.h"
#include "core/model/LossNotes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>
#include <set>

using namespace llvm;

namespace rw::intelpt {

namespace {

constexpr size_t DefaultPieceBytes = 32 << 10;
constexpr size_t BatchItems = 16384;
constexpr size_t MaxMalformed = 20;

EventItem describe(const Piece::Happening &H) {
  using Kind = Piece::Happening;
  EventItem E;
  E.Kind = EventKind::Gap;
  std::string Where = formatv(" at byte {0} of the packets", H.Offset).str();
  if (H.Address)
    Where += formatv(", after {0:x}", H.Address).str();
  switch (H.What) {
  case Kind::Event:
    break;
  case Kind::Tick:
    E.Kind = EventKind::ClockTick;
    E.Value = H.Tsc;
    E.Text = formatv("tsc {0}", H.Tsc);
    break;
  case Kind::Sync:
    E.Kind = EventKind::SyncPoint;
    E.Value = H.Offset;
    E.Text = formatv("byte {0} of the packets", H.Offset);
    break;
  case Kind::Failed:
    E.Text = formatv("decode error: {0}{1}", pt_errstr(pt_error_code(H.Error)),
                     Where);
    break;
  case Kind::Other:
    E.Text = formatv("no known instruction at {0:x}", H.Address);
    break;
  case Kind::Endless:
    E.Text = formatv("the code at {0:x} goes round without a branch that the "
                     "trace could end",
                     H.Address);
    break;
  case Kind::Cut:
    E.Text = "packets are cut off or left over" + Where;
    break;
  case Kind::Elsewhere:
    E.Text = formatv("goes on at {0:x} (byte {1} of the packets), which the "
                     "code before does not reach",
                     H.Address, H.Offset);
    break;
  case Kind::WasOn:
    E.Text = formatv("tracing is off from byte {0} of the packets on; packets "
                     "were lost",
                     H.Offset);
    break;
  case Kind::WasOff:
    E.Text = formatv("tracing is on again, at {0:x} (byte {1} of the packets); "
                     "packets were lost",
                     H.Address, H.Offset);
    break;
  case Kind::Skipped:
    E.Text = formatv("the first {0} bytes of the packets come before the first "
                     "synchronisation point",
                     H.Offset);
    break;
  case Kind::Ends:
    E.Text = formatv("the packets end at byte {0} while tracing is on; what "
                     "ran afterwards is not known",
                     H.Offset);
    break;
  case Kind::Doubt:
    E.Kind = EventKind::Error;
    E.Value = 1;
    E.Text = formatv("in doubt up to byte {0}: the packets from "
                     "byte {1} on are damaged somewhere",
                     H.Offset, H.From);
    break;
  case Kind::Inside:
    E.Kind = EventKind::Error;
    E.Text = formatv("the packets up to byte {0} lead to {1:x}, which is "
                     "inside the instruction at {2:x}: some are damaged",
                     H.Offset, H.Address, H.From);
    break;
  case Kind::Mode:
    E.Text =
        formatv("code at {0:x} that is not 64-bit code is left out", H.Address);
    break;
  }
  return E;
}

/// A time of the first sync points; what is before it is no later.
std::optional<uint64_t> firstTime(ArrayRef<uint8_t> Packets) {
  auto S = findSync(Packets, 0);
  for (unsigned N = 0; S && !S->Tsc && N < 16; ++N)
    S = findSync(Packets, S->Offset + 1);
  return S ? S->Tsc : std::nullopt;
}

/// One buffer on its way into the trace.
struct Stream {
  Stream(const Buffer &B, const ThreadTable &Threads) : B(B), Who(B, Threads) {}
  const Buffer &B;
  ThreadCursor Who;
  EventTranslator Events;
  size_t NextPiece = 0;
  Piece Now;
  size_t Block = 0, Time = 0, Event = 0; ///< what comes next of Now
  uint64_t Tsc = 0;
  std::optional<uint64_t> Tick; ///< the last one told
  bool Loaded = false;
};

class Conversion {
public:
  Conversion(const Recording &R, const ReaderOptions &Options, TraceSink &Sink)
      : R(R), Options(Options), Sink(Sink) {}

  Error run() {
    auto Code = Image::load(R.Modules, Options.Settings.has(MissingModules));
    if (!Code)
      return Code.takeError();
    auto Table = ThreadTable::make(R);
    if (!Table)
      return Table.takeError();
    Timed = llvm::any_of(R.Buffers, [](const Buffer &B) {
      return firstTime(B.Bytes).has_value();
    });
    CodeBook Book(*Code, Timed);
    unsigned Workers = Options.Threads ? Options.Threads - 1
                                       : std::thread::hardware_concurrency();
    auto Made = PiecePool::create(R, *Code, Book, Workers,
                                  Options.ChunkBytes ? Options.ChunkBytes
                                                     : DefaultPieceBytes);
    if (!Made)
      return Made.takeError();
    Pool = std::move(*Made);
    Batch.Code = &Book.table();
    Joiner.emplace(Book.joiner());
    LastCpu.resize(Table->infos().size());
    for (const Buffer &B : R.Buffers) {
      Streams.emplace_back(B, *Table);
      Streams.back().Tsc = firstTime(B.Bytes).value_or(0);
      BytesTotal += B.Bytes.size();
    }
    if (Error E = checkBuffers())
      return E;
    if (Error E = merge())
      return E;
    if (Error E = flush())
      return E;
    if (!NumBlocks && !NumTold)
      return badTrace("'" + R.Path + "': no instruction could be decoded" +
                      (Malformed.empty()
                           ? Twine(": the packets tell of none")
                           : "; the first of " + Twine(NumMalformed) +
                                 " problems: " + Malformed[0].What));
    return finish(*Code, *Table, Book);
  }

private:
  Error checkBuffers() {
    bool Any = false, Bytes = false;
    for (size_t B = 0; B < Streams.size(); ++B) {
      const Buffer &Buf = Streams[B].B;
      Bytes |= !Buf.Bytes.empty();
      Any |= Pool->numPieces(B) != 0;
      if (Pool->numPieces(B)) {
        SkippedBytes += Pool->begin(B, 0).Offset;
        continue;
      }
      SkippedBytes += Buf.Bytes.size();
      if (Buf.Bytes.empty())
        continue;
      malformed(Buf.FileOffset,
                formatv("'{0}' has no complete synchronisation point (PSB) in "
                        "its {1} bytes",
                        Buf.Name, Buf.Bytes.size()));
    }
    if (!Bytes)
      return badTrace("'" + R.Path + "': all its trace buffers are empty");
    if (!Any)
      return badTrace("'" + R.Path +
                      "': no Intel PT packets: " + Malformed[0].What);
    return Error::success();
  }

  /// When the stream has something to tell next.
  uint64_t time(size_t I) const {
    const Stream &S = Streams[I];
    if (!S.Loaded && S.NextPiece < Pool->numPieces(I))
      return std::max(S.Tsc, Pool->begin(I, S.NextPiece).Tsc.value_or(0));
    return S.Tsc;
  }

  Error merge() {
    std::vector<size_t> Live;
    for (size_t I = 0; I < Streams.size(); ++I)
      if (Pool->numPieces(I))
        Live.push_back(I);
    while (!Live.empty()) {
      // The earliest one may go on until it passes the second.
      size_t First = 0;
      uint64_t Until = ~uint64_t(0);
      for (size_t K = 1; K < Live.size(); ++K)
        if (time(Live[K]) < time(Live[First]))
          First = K;
      for (size_t K = 0; K < Live.size(); ++K)
        if (K != First)
          Until = std::min(Until, time(Live[K]));
      size_t I = Live[First];
      do {
        if (!Streams[I].Loaded && !load(I)) {
          Live.erase(Live.begin() + First);
          break;
        }
        if (Error E = emit(Streams[I]))
          return E;
      } while (time(I) <= Until);
    }
    return Error::success();
  }

  bool load(size_t I) {
    Stream &S = Streams[I];
    if (S.NextPiece == Pool->numPieces(I))
      return false;
    S.Now = Pool->take(I, S.NextPiece++);
    size_t Begin = Pool->begin(I, S.NextPiece - 1).Offset;
    // Zeros are padding.
    if (S.NextPiece == 1 && !toStringRef(ArrayRef(S.B.Bytes).take_front(Begin))
                                 .ltrim('\0')
                                 .empty()) {
      Piece::Happening H;
      H.What = Piece::Happening::Skipped;
      H.Offset = Begin;
      S.Now.Events.insert(S.Now.Events.begin(), H);
    }
    S.Block = S.Time = S.Event = 0;
    S.Loaded = true;
    FineTime |= S.Now.FineTime;
    LostMtc |= S.Now.LostMtc;
    LostCyc |= S.Now.LostCyc;
    advance(S);
    BytesDone +=
        (S.NextPiece < Pool->numPieces(I) ? Pool->begin(I, S.NextPiece).Offset
                                          : S.B.Bytes.size()) -
        Begin;
    if (Options.Progress)
      Options.Progress(BytesDone, BytesTotal);
    return true;
  }

  /// To the time of the next block. Time never goes backwards: streams that
  /// were put together from several recordings do that.
  void advance(Stream &S) {
    for (; S.Time < S.Now.Times.size() && S.Now.Times[S.Time].Block <= S.Block;
         ++S.Time)
      S.Tsc = std::max(S.Tsc, S.Now.Times[S.Time].Tsc);
  }

  /// What happens at one time.
  Error emit(Stream &S) {
    if (Options.Cancel && *Options.Cancel)
      return createStringError(std::make_error_code(std::errc::interrupted),
                               "interrupted");
    size_t End = S.Now.Blocks.size();
    if (S.Time < S.Now.Times.size())
      End = std::min<size_t>(End, S.Now.Times[S.Time].Block);
    bool Last = End == S.Now.Blocks.size();
    std::optional<uint8_t> Thread = S.Who.at(S.Tsc);
    if (Thread && S.B.Cpu)
      onCpu(*Thread, *S.B.Cpu);
    while (true) {
      size_t NextEvent = End;
      bool Has = S.Event < S.Now.Events.size() &&
                 (Last || S.Now.Events[S.Event].Before < End);
      if (Has)
        NextEvent = S.Now.Events[S.Event].Before;
      if (Error E = blocks(S, NextEvent, Thread))
        return E;
      if (!Has)
        break;
      happen(S.Now.Events[S.Event++], S, Thread);
    }
    if (Last) {
      S.Loaded = false;
      S.Now = {};
    } else {
      advance(S);
    }
    return Error::success();
  }

  Error blocks(Stream &S, size_t End, std::optional<uint8_t> Thread) {
    if (!Thread) {
      Unowned += End - S.Block;
      S.Block = End;
      return Error::success();
    }
    FlowItem F;
    F.Time = R.Time && Timed ? R.Time->nanoseconds(S.Tsc) : S.Tsc;
    F.Thread = *Thread;
    NumBlocks += End - S.Block;
    size_t First = Batch.Flow.size(); // of those that happen now
    for (; S.Block < End; ++S.Block) {
      F.Sequence = S.Now.Blocks[S.Block];
      if (Batch.Flow.size() > First)
        if (auto Both = Joiner->join(Batch.Flow.back().Sequence, F.Sequence)) {
          Batch.Flow.back().Sequence = *Both;
          continue;
        }
      if (Batch.Flow.size() == BatchItems) {
        if (Error E = flush())
          return E;
        First = 0;
      }
      Batch.Flow.push_back(F);
    }
    return Error::success();
  }

  void happen(const Piece::Happening &H, Stream &S,
              std::optional<uint8_t> Thread) {
    std::optional<EventItem> E;
    if (H.What == Piece::Happening::Event)
      E = S.Events.item(H.PT);
    else if (H.What != Piece::Happening::Tick ||
             std::exchange(S.Tick, H.Tsc) != H.Tsc)
      E = describe(H);
    if (E && H.isDamage())
      malformed(S.B.FileOffset + H.Offset, S.B.Name + ": " + E->Text);
    if (!E || !Thread)
      return;
    NumTold += H.What == Piece::Happening::Event;
    E->Before = uint32_t(Batch.Flow.size());
    E->Thread = *Thread;
    Batch.Events.push_back(std::move(*E));
  }

  void onCpu(uint8_t Thread, uint32_t Cpu) {
    if (std::exchange(LastCpu[Thread], Cpu) == Cpu)
      return;
    EventItem E;
    E.Kind = EventKind::CpuChange;
    E.Before = uint32_t(Batch.Flow.size());
    E.Thread = Thread;
    E.Value = Cpu;
    E.Text = formatv("on CPU {0}", Cpu);
    Batch.Events.push_back(std::move(E));
  }

  void malformed(uint64_t Offset, std::string What) {
    ++NumMalformed;
    if (Malformed.size() < MaxMalformed)
      Malformed.push_back({0, Offset, std::move(What)});
  }

  Error flush() {
    if (Batch.Flow.empty() && Batch.Events.empty())
      return Error::success();
    if (!Sink.takesFlow())
      expandFlow(Batch);
    const CodeTable *Code = Batch.Code;
    Error E = Sink.consume(Batch);
    Batch.clear();
    Batch.Code = Code;
    return E;
  }

  Error finish(const Image &Code, const ThreadTable &Table, CodeBook &Book) {
    TraceHeader H;
    H.Format = "intelpt";
    H.Architecture = Arch::X86_64;
    H.Can.RegisterWrites = true;
    H.Can.Opcodes = true;
    H.Can.Time = Timed;
    if (Timed)
      H.TimeUnit = R.Time ? "ns" : "tsc";
    H.Threads = Table.infos();
    H.Modules = Code.modules();
    H.Code = Book.executed();
    H.Malformed = std::move(Malformed);
    H.NumMalformed = NumMalformed;
    if (Unowned)
      H.Ignored.push_back(
          {"blocks of threads that the trace does not list", Unowned});
    if (SkippedBytes)
      H.Ignored.push_back(
          {"bytes before the first synchronisation point", SkippedBytes});
    H.Notes = R.Notes;
    if (pt_errata Errata; !findErrata(R.Cpu, Errata))
      H.Notes.push_back({"errata",
                         "libipt does not know this processor; the packets are "
                         "taken as the manual describes them"});
    H.Notes.push_back({"registers", "which are written follows from the code; "
                                    "values are not in the trace"});
    noteClock(H);
    noteTime(H);
    for (const std::string &M : Code.missing())
      H.Notes.push_back(lossNote(Loss::Missing, M));
    return Sink.finish(H);
  }

  void noteClock(TraceHeader &H) const {
    std::set<unsigned> Ratios;
    for (const Stream &S : Streams)
      if (auto Ratio = S.Events.firstRatio())
        Ratios.insert(*Ratio);
    if (Ratios.empty())
      return;
    std::string Text =
        formatv("core to bus ratio at the beginning: {0}", *Ratios.begin());
    if (Ratios.size() > 1)
      Text += formatv(" to {0}", *Ratios.rbegin()).str();
    H.Notes.push_back({"clock", std::move(Text)});
  }

  /// How the time between TSC packets is known.
  void noteTime(TraceHeader &H) const {
    auto note = [&](std::string Text) {
      H.Notes.push_back({"time", std::move(Text)});
    };
    if (FineTime && R.FrequencyFrom != Recording::Told)
      note(formatv("as of the last TSC or CYC packet; CYC packets count at a "
                   "nominal {0} MHz, which follows from the {1}{2}",
                   R.NominalFrequency * 100,
                   R.FrequencyFrom == Recording::Implied ? "time conversion"
                                                         : "TSC packets",
                   LostMtc ? "; MTC packets are not used" : ""));
    else if (!FineTime && (LostMtc || LostCyc))
      note(formatv("as of the last TSC packet: {0} packets are not used, the "
                   "trace does not tell their frequency{1}",
                   LostMtc && LostCyc ? "MTC and CYC"
                   : LostMtc          ? "MTC"
                                      : "CYC",
                   LostMtc ? " (CPUID 15H)" : ""));
  }

  const Recording &R;
  const ReaderOptions &Options;
  TraceSink &Sink;
  std::unique_ptr<PiecePool> Pool;
  std::vector<Stream> Streams;
  ItemBatch Batch;
  std::optional<SequenceJoiner> Joiner;
  std::vector<std::optional<uint32_t>> LastCpu; ///< by thread
  std::vector<MalformedLine> Malformed;
  uint64_t NumMalformed = 0, NumBlocks = 0, NumTold = 0, Unowned = 0,
           SkippedBytes = 0;
  uint64_t BytesDone = 0, BytesTotal = 0;
  bool Timed = false;
  bool FineTime = false, LostMtc = false, LostCyc = false; ///< as in Piece
};

class IntelPTReader final : public TraceReader {
public:
  IntelPTReader(Recording R, const ReaderOptions &Options)
      : R(std::move(R)), Options(Options) {}
  StringRef formatName() const override { return "intelpt"; }
  Error read(TraceSink &Sink) override {
    for (size_t B = 0; B < R.Buffers.size() && !R.NominalFrequency; ++B)
      if ((R.NominalFrequency = measureNominalRatio(R.Buffers[B].Bytes)))
        R.FrequencyFrom = Recording::Measured;
    return Conversion(R, Options, Sink).run();
  }

private:
  Recording R;
  ReaderOptions Options;
};

} // namespace

uint64_t TimeConversion::ticks(uint64_t Nanoseconds) const {
  if (Nanoseconds <= Zero || !Mult)
    return 0;
  uint64_t Since = Nanoseconds - Zero;
  uint64_t Whole = Since / Mult, Rest = Since % Mult;
  return (Whole << Shift) + ((Rest << Shift) + Mult - 1) / Mult;
}

uint8_t nominalRatio(const TimeConversion &Time) {
  constexpr double BusPerNanosecond = 0.1;
  if (!Time.Mult)
    return 0;
  double Ratio = std::ldexp(1.0, Time.Shift) / Time.Mult / BusPerNanosecond;
  return Ratio < 255 ? uint8_t(std::lround(Ratio)) : 0;
}

std::string normalBuildId(StringRef Text) {
  std::string Id;
  for (char C : Text)
    if (isHexDigit(C))
      Id += toUpper(C);
  return Id;
}

std::unique_ptr<TraceReader> makeReader(Recording R,
                                        const ReaderOptions &Options) {
  return std::make_unique<IntelPTReader>(std::move(R), Options);
}

static unsigned sniff(StringRef Path, ArrayRef<uint8_t> Head) {
  if (Head.empty()) {
    SmallString<128> Json(Path);
    sys::path::append(Json, "trace.json");
    return sys::fs::exists(Json) ? 90 : 0;
  }
  if (perf::isPerfData(Head))
    return 95;
  StringRef Text = toStringRef(Head).ltrim();
  return Text.starts_with("{") && Text.contains("\"intel-pt\"") ? 95 : 0;
}

static TraceFormat::Reader open(StringRef Path, const ReaderOptions &Options) {
  const bool IsPerf = isPerfData(Path);
  StringRef Folder = Options.Settings.value(Symfs);
  if (Options.Settings.has(Symfs) && !IsPerf)
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "'" + Path +
                                 "' is no perf.data: --symfs is of no use, a "
                                 "bundle says where its modules are");
  if (Options.Settings.has(Symfs) && !sys::fs::is_directory(Folder))
    return createStringError(std::make_error_code(std::errc::invalid_argument),
                             "--symfs: '" + Folder + "' is no folder");
  auto R = IsPerf ? readPerfData(Path, Folder) : readBundle(Path);
  if (!R)
    return R.takeError();
  return makeReader(std::move(*R), Options);
}

static constexpr OptionSpec FormatOptions[] = {MissingModules, Symfs};

extern const TraceFormat Format = {
    .Name = "intelpt",
    .Description = "Intel PT: LLDB's trace.json (or its directory), perf.data",
    .Options = FormatOptions,
    .Sniff = sniff,
    .OpenFiles = open,
    .Companions = companions,
};

} // namespace rw::intelpt
