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
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace rw {
namespace {

using htr::BlockId;
using htr::BlockInfo;
using htr::BlockKind;
using htr::UnitRange;

/// A block as it goes to a viewer.
struct Slice {
  BlockInfo Block;
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
            const std::vector<bool> &Holds, ThreadIndex T, unsigned Layer)
      : File(File), Options(Options), Holds(Holds) {
    Track.Thread = T;
    Track.Layer = Layer;
  }

  /// Finds the smallest MinLength (a power of four) with few enough slices.
  void fit() {
    while (!count()) {
      Track.MinLength = SaturatingMultiply(Track.MinLength, uint64_t(4));
      // Gaps have no length to leave them out by.
      if (Track.Gaps && Track.MinLength > File.numInstructions(Track.Thread)) {
        Track.Gaps = false;
        Track.MinLength = 1;
      }
    }
  }

  Expected<HtrExportTrack> write(SliceWriter &To) {
    Track.Slices = 0;
    auto End = timeAt(File.numInstructions(Track.Thread));
    if (!End)
      return End.takeError();
    if (Error E = walk(*End, To))
      return E;
    return Track;
  }

private:
  const htr::HtrFile &File;
  const HtrExportOptions &Options;
  HtrExportTrack Track;
  const std::vector<bool> &Holds; ///< a function, by block

  /// Units that are being gone through. Blocks lie in each other as deep as the
  /// trace's calls do: deeper than a stack of ours is.
  struct Level {
    UnitRange Units;
    uint64_t Next = 0;  ///< unit
    uint64_t Times = 1; ///< to count: how often all of them run
    // To write:
    uint64_t Round = 0;          ///< of Units.Times
    Position At = 0;             ///< of the next unit
    uint64_t Begin = 0, End = 0; ///< time of the first and after the last
  };

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
  bool opens(BlockId B) const {
    return File.block(B).Home == Track.Layer || Holds[B];
  }

  /// Counts the slices; false as soon as there are too many.
  bool count() {
    Track.Slices = 0;
    std::vector<Level> Open{{sequence()}};
    while (!Open.empty()) {
      Level &L = Open.back();
      if (L.Next == L.Units.size()) {
        Open.pop_back();
        continue;
      }
      BlockId B = File.unit(L.Units, L.Next++);
      if (!isSlice(B))
        continue;
      Track.Slices = SaturatingAdd(Track.Slices, L.Times);
      if (Track.Slices > Options.MaxSlices)
        return false;
      if (!opens(B))
        continue;
      UnitRange Parts = File.parts(B, Track.Layer);
      Open.push_back({Parts, 0, SaturatingMultiply(L.Times, Parts.Times)});
    }
    return true;
  }

  Error walk(uint64_t End, SliceWriter &To) {
    std::vector<Level> Open{{sequence()}};
    Open.back().End = End;
    while (!Open.empty()) {
      Level &L = Open.back();
      const UnitRange &R = L.Units;
      if (L.Next == R.size()) {
        L.Next = 0;
        ++L.Round;
      }
      // None of the passes shows, if the first does not.
      if (L.Round == R.Times || R.size() == 0 ||
          (R.Times > 1 && !isSlice(File.unit(R, 0)))) {
        uint64_t Ended = L.End;
        Open.pop_back();
        if (!Open.empty())
          To.end(Ended);
        continue;
      }
      const BlockId B = File.unit(R, L.Next);
      const Position At = L.At;
      L.At += File.length(B);
      ++L.Next;
      if (!isSlice(B))
        continue;
      const bool Last = L.Next == R.size() && L.Round + 1 == R.Times;
      auto UnitEnd =
          Last ? Expected<uint64_t>(L.End)
               : endOf(L.At, File.unit(R, L.Next < R.size() ? L.Next : 0));
      if (!UnitEnd)
        return UnitEnd.takeError();
      auto Begun = begin(B, At, L.Begin, *UnitEnd, To);
      if (!Begun)
        return Begun.takeError();
      if (*Begun) {
        Level Inside{opens(B) ? File.parts(B, Track.Layer) : UnitRange()};
        Inside.At = At;
        Inside.Begin = **Begun;
        Inside.End = *UnitEnd;
        Open.push_back(Inside);
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
  /// Begins a unit's slice, no earlier than at \p From. Tells when, if it has
  /// to be ended.
  Expected<std::optional<uint64_t>> begin(BlockId B, Position At, uint64_t From,
                                          uint64_t End, SliceWriter &To) {
    BlockInfo I = File.block(B);
    auto Time = timeAt(I.Kind == BlockKind::Break ? lastBefore(At) : At);
    if (!Time)
      return Time.takeError();
    const uint64_t Begin = std::max(From, *Time);
    // Flat slices would pile up: some viewers nest those of the same time.
    if (Begin == End && I.Kind != BlockKind::Break) {
      ++Track.Flat;
      return std::nullopt;
    }
    ++Track.Slices;
    if (Track.Slices % 4096 == 0)
      if (Error E = Options.Watch.step("writing", At, File.numInstructions()))
        return E;
    Slice S{I, Options.NameOf(B), At, Begin};
    if (Begin == End) {
      To.instant(S);
      return std::nullopt;
    }
    To.begin(S);
    return Begin;
  }
};

} // namespace

/// Blocks that have a function in them, or are one.
static std::vector<bool> functionHolders(const htr::HtrFile &File) {
  std::vector<bool> Holds(File.numBlocks());
  // Parts have smaller ids than the whole.
  for (BlockId B = 0; B < File.numBlocks(); ++B) {
    bool Found = File.kind(B) == BlockKind::Function;
    UnitRange Parts = Found ? UnitRange() : File.parts(B, 0);
    for (uint64_t K = 0; K < Parts.size() && !Found; ++K)
      Found = Holds[File.unit(Parts, K)];
    Holds[B] = Found;
  }
  return Holds;
}

static std::string threadName(const HtrExportOptions &Options, ThreadIndex T) {
  return T < Options.ThreadNames.size() ? Options.ThreadNames[T]
                                        : "thread " + std::to_string(T + 1);
}

static Error writeTracks(const htr::HtrFile &File,
                         const HtrExportOptions &Options, SliceWriter &To,
                         std::vector<HtrExportTrack> &Tracks) {
  const std::vector<bool> Holds = functionHolders(File);
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    To.beginThread(T, Options.Title + ", " + threadName(Options, T));
    for (unsigned L = File.numLayers() - 1; L > 0; --L) {
      To.beginTrack("layer " + std::to_string(L) + ": " + File.layer(L).Pass);
      TrackWalk Walk(File, Options, Holds, T, L);
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
