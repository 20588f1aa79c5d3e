//===- HtrExport.cpp - HTR's layers for timeline viewers ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/HtrExport.h"
#include "core/export/CallExport.h"
#include "core/export/PerfettoTrace.h"
#include "core/htr/Pass.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace rw {
namespace {

using htr::BlockId;
using htr::BlockInfo;
using htr::BlockKind;
using htr::UnitRange;

/// A block as it goes to a viewer.
struct Slice {
  const BlockInfo &Block;
  std::string Name;
  Position Begin;
  uint64_t Time;
};

/// What viewers filter by; Chrome's own wants one at every event.
StringRef categoryOf(BlockKind K) {
  switch (K) {
  case BlockKind::Instruction:
    return "instruction";
  case BlockKind::Break:
    return "gap";
  case BlockKind::Sequence:
    return "block";
  case BlockKind::Repeat:
  case BlockKind::Iterations:
    return "loop";
  case BlockKind::Function:
    return "function";
  }
  llvm_unreachable("unknown kind of block");
}

/// A gap has no instructions to tell of.
bool isGap(const Slice &S) { return S.Block.Kind == BlockKind::Break; }

class SliceWriter {
public:
  virtual ~SliceWriter() = default;
  virtual void beginThread(ThreadIndex T, StringRef Name) = 0;
  /// Tracks come from top to bottom.
  virtual void beginTrack(StringRef Name) = 0;
  virtual void begin(const Slice &S) = 0;
  virtual void end(uint64_t Time) = 0;
  virtual void instant(const Slice &S) = 0;
};

/// A process for each thread of the trace, a thread for each layer.
class ChromeSlices final : public SliceWriter {
public:
  ChromeSlices(json::OStream &J, double Scale, unsigned NumThreads)
      : J(J), Scale(Scale), Tid(NumThreads) {}

  void beginThread(ThreadIndex T, StringRef Name) override {
    Pid = T + 1;
    metadata("process_name", Pid,
             [&] { J.attribute("name", json::fixUTF8(Name)); });
    metadata("process_sort_index", Pid,
             [&] { J.attribute("sort_index", Pid); });
  }
  /// Viewers sort by thread_sort_index or by tid; a thread whose tid is that of
  /// its process would be the main one, and come first.
  void beginTrack(StringRef Name) override {
    ++Tid;
    metadata("thread_name", Tid,
             [&] { J.attribute("name", json::fixUTF8(Name)); });
    metadata("thread_sort_index", Tid, [&] { J.attribute("sort_index", Tid); });
  }
  void begin(const Slice &S) override {
    Open.push_back(S);
    slice("B", S.Time, S);
  }
  void end(uint64_t Time) override {
    slice("E", Time, Open.back());
    Open.pop_back();
  }
  void instant(const Slice &S) override { slice("i", S.Time, S); }

private:
  /// Some viewers (speedscope) pair ends with beginnings by name and arguments.
  void slice(const char *Phase, uint64_t Time, const Slice &S) {
    J.object([&] {
      J.attribute("ph", Phase);
      if (*Phase == 'i')
        J.attribute("s", "t"); // on its track only
      J.attribute("pid", Pid);
      J.attribute("tid", Tid);
      if (Scale == 1)
        J.attribute("ts", Time);
      else
        J.attribute("ts", double(Time) * Scale);
      J.attribute("cat", categoryOf(S.Block.Kind));
      J.attribute("name", json::fixUTF8(S.Name));
      J.attributeObject("args", [&] {
        J.attribute("block", "B" + std::to_string(S.Block.Id));
        J.attribute("position", S.Begin);
        if (isGap(S))
          return;
        J.attribute("instructions", S.Block.Length);
        J.attribute("occurrences", S.Block.Occurrences);
        if (S.Block.Kind == BlockKind::Repeat)
          J.attribute("iterations", S.Block.Value);
      });
    });
  }
  void metadata(StringRef Name, unsigned T, function_ref<void()> Args) {
    J.object([&] {
      J.attribute("ph", "M");
      J.attribute("name", Name);
      J.attribute("pid", Pid);
      J.attribute("tid", T);
      J.attributeObject("args", Args);
    });
  }
  json::OStream &J;
  double Scale;
  unsigned Pid = 0, Tid;
  std::vector<Slice> Open;
};

/// A group of tracks for each thread of the trace.
class PerfettoSlices final : public SliceWriter {
public:
  PerfettoSlices(raw_ostream &Out, double Scale, unsigned NumThreads)
      : Out(Out, Scale), NumThreads(NumThreads) {}

  void beginThread(ThreadIndex T, StringRef Name) override {
    Group = Track = Track + 1;
    Out.group(Group, Name);
    // Older viewers (v20) show no groups and merge tracks of one name.
    Suffix = NumThreads > 1 ? " (thread " + std::to_string(T + 1) + ")" : "";
  }
  void beginTrack(StringRef Name) override {
    ++Track;
    Out.track(Track, Group, Name.str() + Suffix, int64_t(Track - Group));
  }
  void begin(const Slice &S) override {
    event(PerfettoTrace::EventType::Begin, S);
  }
  void instant(const Slice &S) override {
    event(PerfettoTrace::EventType::Instant, S);
  }
  void end(uint64_t Time) override {
    Out.event(PerfettoTrace::EventType::End, Track, Time);
    Out.finish();
  }

private:
  void event(PerfettoTrace::EventType Type, const Slice &S) {
    uint64_t &Name = Names[S.Block.Id];
    if (!Name)
      Name = Out.name(S.Name);
    Out.event(Type, Track, S.Time, Name, categoryOf(S.Block.Kind));
    Out.annotate("block", "B" + std::to_string(S.Block.Id));
    Out.annotate("position", S.Begin);
    if (!isGap(S)) {
      Out.annotate("instructions", S.Block.Length);
      Out.annotate("occurrences", S.Block.Occurrences);
      if (S.Block.Kind == BlockKind::Repeat)
        Out.annotate("iterations", S.Block.Value);
    }
    Out.finish();
  }
  PerfettoTrace Out;
  unsigned NumThreads;
  uint64_t Group = 0, Track = 0;
  std::string Suffix;
  DenseMap<BlockId, uint64_t> Names;
};

/// Walks one track; blocks shorter than MinLength are passed over.
class TrackWalk {
public:
  TrackWalk(const htr::HtrFile &File, const HtrExportOptions &Options,
            ThreadIndex T, unsigned Layer)
      : File(File), Options(Options) {
    Track.Thread = T;
    Track.Layer = Layer;
  }

  /// Finds the smallest MinLength (a power of four) with few enough slices.
  void fit() {
    for (;; Track.MinLength *= 4) {
      if (Track.MinLength > File.numInstructions(Track.Thread)) {
        Track.Gaps = false;
        Track.MinLength = 1;
      }
      Track.Slices = 0;
      if (count(sequence()))
        return;
    }
  }

  Expected<HtrExportTrack> write(SliceWriter &To) {
    Track.Slices = 0;
    auto End = timeAt(File.numInstructions(Track.Thread));
    if (!End)
      return End.takeError();
    if (Error E = walk(sequence(), 0, 0, *End, To))
      return E;
    return Track;
  }

private:
  const htr::HtrFile &File;
  const HtrExportOptions &Options;
  HtrExportTrack Track;
  std::vector<uint8_t> Holds; ///< a function: 0 not known yet, 1 no, 2 yes

  UnitRange sequence() const {
    return File.sequence(Track.Layer, Track.Thread);
  }
  Expected<uint64_t> timeAt(Position P) const {
    return Options.TimeAt(Track.Thread, P);
  }
  bool isSlice(BlockId B) const {
    BlockKind Kind = File.kind(B);
    if (Kind == BlockKind::Break)
      return Track.Gaps;
    return File.length(B) >= Track.MinLength && Kind != BlockKind::Instruction;
  }
  /// Functions are told anew by this layer, and so is what they are in.
  bool opens(const BlockInfo &I) {
    return I.Home == Track.Layer || holdsFunction(I.Id);
  }
  bool holdsFunction(BlockId B) {
    BlockKind Kind = File.kind(B);
    if (Kind == BlockKind::Instruction || Kind == BlockKind::Break)
      return false;
    if (Kind == BlockKind::Function)
      return true;
    if (Holds.empty())
      Holds.resize(File.numBlocks());
    if (Holds[B] == 0) {
      UnitRange Parts = File.parts(B, Track.Layer);
      bool Found = false;
      for (uint64_t K = 0; K < Parts.size() && !Found; ++K) {
        BlockId P = File.unit(Parts, K);
        Found = P < B && holdsFunction(P);
      }
      Holds[B] = Found ? 2 : 1;
    }
    return Holds[B] == 2;
  }
  bool count(const UnitRange &R) {
    for (uint64_t K = 0; K < R.size(); ++K) {
      BlockId B = File.unit(R, K);
      if (!isSlice(B))
        continue;
      Track.Slices += R.Times;
      BlockInfo I = File.block(B);
      uint64_t Before = Track.Slices;
      if (Track.Slices > Options.MaxSlices ||
          (opens(I) && !count(File.parts(B, Track.Layer))))
        return false;
      Track.Slices = Before + (Track.Slices - Before) * R.Times;
    }
    return Track.Slices <= Options.MaxSlices;
  }
  /// \p Begin, \p End: when the first unit begins and the last one ends.
  Error walk(const UnitRange &R, Position At, uint64_t Begin, uint64_t End,
             SliceWriter &To) {
    for (uint64_t Time = 0; Time < R.Times; ++Time) {
      if (R.Times > 1 && !isSlice(File.unit(R, 0)))
        break; // none of the passes shows
      for (uint64_t K = 0; K < R.size(); ++K) {
        BlockId B = File.unit(R, K);
        uint64_t Length = File.length(B);
        if (isSlice(B)) {
          bool Last = K + 1 == R.size() && Time + 1 == R.Times;
          auto UnitEnd =
              Last ? Expected<uint64_t>(End)
                   : endOf(At + Length, K + 1 < R.size() ? File.unit(R, K + 1)
                                                         : File.unit(R, 0));
          if (!UnitEnd)
            return UnitEnd.takeError();
          if (Error E = unit(B, At, Begin, *UnitEnd, To))
            return E;
        }
        At += Length;
      }
    }
    return Error::success();
  }
  /// When a unit ends, given where it does, and what follows.
  Expected<uint64_t> endOf(Position P, BlockId Next) const {
    return timeAt(File.kind(Next) == BlockKind::Break ? lastBefore(P) : P);
  }
  /// Where the time of a gap begins: what is lost there is not what the
  /// instruction before it took.
  Position lastBefore(Position P) const {
    return P && !Options.TimeUnit.empty() ? P - 1 : P;
  }
  /// A unit that begins no earlier than \p From.
  Error unit(BlockId B, Position At, uint64_t From, uint64_t End,
             SliceWriter &To) {
    BlockInfo I = File.block(B);
    auto Time = timeAt(I.Kind == BlockKind::Break ? lastBefore(At) : At);
    if (!Time)
      return Time.takeError();
    uint64_t Begin = std::max(From, *Time);
    // Flat slices would pile up: some viewers nest those of the same time.
    if (Begin == End && I.Kind != BlockKind::Break) {
      ++Track.Flat;
      return Error::success();
    }
    Slice S{I, Options.NameOf(B), At, Begin};
    ++Track.Slices;
    if (Begin == End) {
      To.instant(S);
    } else {
      To.begin(S);
      if (opens(I))
        if (Error E = walk(File.parts(B, Track.Layer), At, Begin, End, To))
          return E;
      To.end(End);
    }
    if (Track.Slices % 4096 == 0)
      return Options.Watch.step("writing", At, File.numInstructions());
    return Error::success();
  }
};

} // namespace

static std::string threadName(const HtrExportOptions &Options, ThreadIndex T) {
  return T < Options.ThreadNames.size() ? Options.ThreadNames[T]
                                        : "thread " + std::to_string(T + 1);
}

static Error writeTracks(const htr::HtrFile &File,
                         const HtrExportOptions &Options, SliceWriter &To,
                         std::vector<HtrExportTrack> &Tracks) {
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    To.beginThread(T, Options.Title + ", " + threadName(Options, T));
    for (unsigned L = File.numLayers() - 1; L > 0; --L) {
      To.beginTrack("layer " + std::to_string(L) + ": " + File.layer(L).Pass);
      TrackWalk Walk(File, Options, T, L);
      Walk.fit();
      auto Track = Walk.write(To);
      if (!Track)
        return Track.takeError();
      Tracks.push_back(*Track);
    }
  }
  return Error::success();
}

Expected<std::vector<HtrExportTrack>> exportHtr(const htr::HtrFile &File,
                                                const HtrExportOptions &Options,
                                                raw_ostream &Out) {
  std::vector<HtrExportTrack> Tracks;
  auto Nanoseconds = nanosecondsPerUnit(Options.TimeUnit);
  if (Options.Format == HtrExportFormat::Perfetto) {
    PerfettoSlices To(Out, Nanoseconds.value_or(1), File.numThreads());
    if (Error E = writeTracks(File, Options, To, Tracks))
      return E;
    return Tracks;
  }
  json::OStream J(Out);
  Error Failure = Error::success();
  J.object([&] {
    J.attributeArray("traceEvents", [&] {
      // Cycles and ticks are shown as if they were microseconds, the smallest
      // unit that viewers count in.
      ChromeSlices To(J, Nanoseconds ? *Nanoseconds / 1000 : 1,
                      File.numThreads());
      Failure = writeTracks(File, Options, To, Tracks);
    });
    J.attributeObject("otherData", [&] {
      J.attribute("exporter", "rewind");
      J.attribute("passes", File.header().Pipeline);
      J.attribute("time_unit",
                  Options.TimeUnit.empty() ? "instructions" : Options.TimeUnit);
    });
  });
  Out << "\n";
  if (Failure)
    return Failure;
  return Tracks;
}

} // namespace rw
