//===- HtrExport.cpp - HTR's layers for timeline viewers ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/HtrExport.h"
#include "core/export/CallExport.h"
#include "core/export/ProtoWriter.h"
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

class SliceWriter {
public:
  virtual ~SliceWriter() = default;
  virtual void beginTrack(unsigned Thread, unsigned Layer, StringRef Name) = 0;
  virtual void begin(const Slice &S) = 0;
  virtual void end(uint64_t Time) = 0;
};

class ChromeSlices final : public SliceWriter {
public:
  ChromeSlices(json::OStream &J, double Scale) : J(J), Scale(Scale) {}

  void process(unsigned Thread, StringRef Name) {
    metadata("process_name", Thread + 1, 0,
             [&] { J.attribute("name", json::fixUTF8(Name)); });
  }
  void beginTrack(unsigned Thread, unsigned Layer, StringRef Name) override {
    Pid = Thread + 1;
    Tid = Layer;
    metadata("thread_name", Pid, Tid,
             [&] { J.attribute("name", json::fixUTF8(Name)); });
    // The most condensed layer comes first.
    metadata("thread_sort_index", Pid, Tid,
             [&] { J.attribute("sort_index", -int64_t(Layer)); });
  }
  void begin(const Slice &S) override {
    Open.push_back(S);
    slice("B", S.Time, S);
  }
  void end(uint64_t Time) override {
    slice("E", Time, Open.back());
    Open.pop_back();
  }

private:
  /// Some viewers (speedscope) pair ends with beginnings by name and arguments.
  void slice(const char *Phase, uint64_t Time, const Slice &S) {
    J.object([&] {
      J.attribute("ph", Phase);
      where(Time);
      J.attribute("cat", categoryOf(S.Block.Kind));
      J.attribute("name", json::fixUTF8(S.Name));
      J.attributeObject("args", [&] {
        J.attribute("block", "B" + std::to_string(S.Block.Id));
        J.attribute("position", S.Begin);
        J.attribute("instructions", S.Block.Length);
        J.attribute("occurrences", S.Block.Occurrences);
        if (S.Block.Kind == BlockKind::Repeat)
          J.attribute("iterations", S.Block.Value);
      });
    });
  }
  void metadata(StringRef Name, unsigned P, unsigned T,
                function_ref<void()> Args) {
    J.object([&] {
      J.attribute("ph", "M");
      J.attribute("name", Name);
      J.attribute("pid", P);
      J.attribute("tid", T);
      J.attributeObject("args", Args);
    });
  }
  void where(uint64_t Time) {
    J.attribute("pid", Pid);
    J.attribute("tid", Tid);
    if (Scale == 1)
      J.attribute("ts", Time);
    else
      J.attribute("ts", double(Time) * Scale);
  }
  json::OStream &J;
  double Scale;
  unsigned Pid = 0, Tid = 0;
  std::vector<Slice> Open;
};

class PerfettoSlices final : public SliceWriter {
public:
  PerfettoSlices(raw_ostream &Out, double Scale) : Out(Out), Scale(Scale) {}

  /// A track that holds the tracks of a thread's layers.
  void parent(unsigned Thread, StringRef Name) {
    ProtoWriter Descriptor;
    Descriptor.varint(TrackUuid, parentOf(Thread));
    Descriptor.bytes(TrackName, json::fixUTF8(Name));
    Descriptor.varint(TrackChildOrdering, Explicit);
    descriptor(Descriptor);
  }
  void beginTrack(unsigned Thread, unsigned Layer, StringRef Name) override {
    Track = parentOf(Thread) + Layer;
    ProtoWriter Descriptor;
    Descriptor.varint(TrackUuid, Track);
    Descriptor.varint(TrackParent, parentOf(Thread));
    Descriptor.bytes(TrackName, json::fixUTF8(Name));
    // The most condensed layer comes first.
    Descriptor.varint(TrackRank, uint64_t(-int64_t(Layer)));
    descriptor(Descriptor);
  }
  void begin(const Slice &S) override {
    ProtoWriter Event = event(SliceBegin);
    Event.bytes(EventName, json::fixUTF8(S.Name));
    Event.bytes(EventCategory, categoryOf(S.Block.Kind));
    ProtoWriter Block;
    Block.bytes(AnnotationName, "block");
    Block.bytes(AnnotationString, "B" + std::to_string(S.Block.Id));
    Event.message(EventAnnotation, Block);
    annotate(Event, "position", S.Begin);
    annotate(Event, "instructions", S.Block.Length);
    annotate(Event, "occurrences", S.Block.Occurrences);
    if (S.Block.Kind == BlockKind::Repeat)
      annotate(Event, "iterations", S.Block.Value);
    packet(S.Time, Event);
  }
  void end(uint64_t Time) override { packet(Time, event(SliceEnd)); }

private:
  /// Field numbers of perfetto's protos/perfetto/trace/.
  enum : unsigned {
    TracePacket = 1,
    PacketTimestamp = 8,
    PacketSequenceId = 10,
    PacketTrackEvent = 11,
    PacketTrackDescriptor = 60,
    TrackUuid = 1,
    TrackName = 2,
    TrackParent = 5,
    TrackChildOrdering = 11,
    TrackRank = 12,
    EventType = 9,
    EventTrack = 11,
    EventCategory = 22,
    EventName = 23,
    EventAnnotation = 4,
    AnnotationUint = 3,
    AnnotationString = 6,
    AnnotationName = 10,
  };
  enum : uint64_t {
    SliceBegin = 1,
    SliceEnd = 2,
    Explicit = 3,
    SequenceId = 1
  };

  static uint64_t parentOf(unsigned Thread) {
    return (uint64_t(Thread) + 1) << 16;
  }
  ProtoWriter event(uint64_t Type) const {
    ProtoWriter Event;
    Event.varint(EventType, Type);
    Event.varint(EventTrack, Track);
    return Event;
  }
  static void annotate(ProtoWriter &Event, StringRef Name, uint64_t Value) {
    ProtoWriter Part;
    Part.bytes(AnnotationName, Name);
    Part.varint(AnnotationUint, Value);
    Event.message(EventAnnotation, Part);
  }
  void descriptor(const ProtoWriter &Descriptor) {
    ProtoWriter Packet, Whole;
    Packet.varint(PacketSequenceId, SequenceId);
    Packet.message(PacketTrackDescriptor, Descriptor);
    Whole.message(TracePacket, Packet);
    Out << Whole.data();
  }
  void packet(uint64_t Time, const ProtoWriter &Event) {
    ProtoWriter Packet, Whole;
    Packet.varint(PacketTimestamp,
                  Scale == 1 ? Time : uint64_t(double(Time) * Scale));
    Packet.varint(PacketSequenceId, SequenceId);
    Packet.message(PacketTrackEvent, Event);
    Whole.message(TracePacket, Packet);
    Out << Whole.data();
  }
  raw_ostream &Out;
  double Scale;
  uint64_t Track = 0;
};

/// Walks one track; blocks shorter than MinLength are passed over.
class TrackWalk {
public:
  TrackWalk(const htr::HtrFile &File, const HtrExportOptions &Options,
            ThreadIndex T, unsigned Layer)
      : File(File), Options(Options), Thread(T), Layer(Layer) {}

  uint64_t MinLength = 1, Slices = 0;

  /// Finds the smallest MinLength (a power of four) with few enough slices.
  void fit() {
    for (;; MinLength *= 4) {
      Slices = 0;
      if (count(File.sequence(Layer, Thread)))
        return;
    }
  }

  Error write(SliceWriter &To) {
    Slices = 0;
    return walk(File.sequence(Layer, Thread), 0, To);
  }

private:
  const htr::HtrFile &File;
  const HtrExportOptions &Options;
  ThreadIndex Thread;
  unsigned Layer;
  std::vector<uint8_t> Holds; ///< a function: 0 not known yet, 1 no, 2 yes

  bool isSlice(BlockId B) const {
    return File.length(B) >= MinLength &&
           File.kind(B) != BlockKind::Instruction;
  }
  /// Functions are told anew by this layer, and so is what they are in.
  bool opens(const BlockInfo &I) {
    return I.Home == Layer || holdsFunction(I.Id);
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
      UnitRange Parts = File.parts(B, Layer);
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
      Slices += R.Times;
      BlockInfo I = File.block(B);
      uint64_t Before = Slices;
      if (Slices > Options.MaxSlices ||
          (opens(I) && !count(File.parts(B, Layer))))
        return false;
      Slices = Before + (Slices - Before) * R.Times;
    }
    return Slices <= Options.MaxSlices;
  }
  Error walk(const UnitRange &R, Position At, SliceWriter &To) {
    for (uint64_t Time = 0; Time < R.Times; ++Time) {
      if (R.Times > 1 && !isSlice(File.unit(R, 0)))
        break; // none of the passes shows
      for (uint64_t K = 0; K < R.size(); ++K) {
        BlockId B = File.unit(R, K);
        uint64_t Length = File.length(B);
        if (isSlice(B)) {
          BlockInfo I = File.block(B);
          auto Begin = Options.TimeAt(Thread, At),
               End = Options.TimeAt(Thread, At + Length);
          if (!Begin || !End)
            return joinErrors(Begin.takeError(), End.takeError());
          To.begin({I, Options.NameOf(B), At, *Begin});
          if (opens(I))
            if (Error E = walk(File.parts(B, Layer), At, To))
              return E;
          To.end(*End);
          ++Slices;
          if (Slices % 4096 == 0)
            if (Error E =
                    Options.Watch.step("writing", At, File.numInstructions()))
              return E;
        }
        At += Length;
      }
    }
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
                         function_ref<void(ThreadIndex, StringRef)> BeginThread,
                         std::vector<HtrExportTrack> &Tracks) {
  for (ThreadIndex T = 0; T < File.numThreads(); ++T) {
    BeginThread(T, Options.Title + ", " + threadName(Options, T));
    for (unsigned L = File.numLayers() - 1; L > 0; --L) {
      To.beginTrack(T, L,
                    "layer " + std::to_string(L) + ": " + File.layer(L).Pass);
      TrackWalk Walk(File, Options, T, L);
      Walk.fit();
      if (Error E = Walk.write(To))
        return E;
      Tracks.push_back({T, L, Walk.Slices, Walk.MinLength});
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
    PerfettoSlices To(Out, Nanoseconds.value_or(1));
    if (Error E = writeTracks(
            File, Options, To,
            [&](ThreadIndex T, StringRef Name) { To.parent(T, Name); }, Tracks))
      return E;
    return Tracks;
  }
  json::OStream J(Out);
  Error Failure = Error::success();
  J.object([&] {
    J.attributeArray("traceEvents", [&] {
      // Cycles and ticks are shown as if they were microseconds, the smallest
      // unit that viewers count in.
      ChromeSlices To(J, Nanoseconds ? *Nanoseconds / 1000 : 1);
      Failure = writeTracks(
          File, Options, To,
          [&](ThreadIndex T, StringRef Name) { To.process(T, Name); }, Tracks);
    });
    J.attribute("displayTimeUnit", "ns");
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
