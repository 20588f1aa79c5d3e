//===- Perfetto.cpp - Perfetto's trace.proto ------------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/CallExport.h"
#include "core/export/ProtoWriter.h"
#include "core/export/Timeline.h"
#include "llvm/Support/JSON.h"

namespace rw {

namespace {

/// Field numbers of perfetto's protos/perfetto/trace/.
enum : unsigned {
  TracePacket = 1,
  PacketTimestamp = 8,
  PacketSequenceId = 10,
  PacketTrackEvent = 11,
  PacketInternedData = 12,
  PacketSequenceFlags = 13,
  PacketTrackDescriptor = 60,
  InternedEventNames = 2,
  EventNameIid = 1,
  EventNameName = 2,
  TrackEventType = 9,
  TrackEventNameIid = 10,
  TrackEventTrackUuid = 11,
  TrackEventName = 23,
  TrackEventDebugAnnotation = 4,
  AnnotationUint = 3,
  AnnotationName = 10,
  TrackUuid = 1,
  TrackName = 2,
  TrackProcess = 3,
  TrackThread = 4,
  ProcessPid = 1,
  ProcessName = 6,
  ThreadPid = 1,
  ThreadTid = 2,
  ThreadName = 5,
};
enum : uint64_t {
  SliceBegin = 1,
  SliceEnd = 2,
  Instant = 3,
  StateCleared = 1,
  NeedsState = 2,
  SequenceId = 1,
};

class PerfettoWriter final : public TimelineWriter {
public:
  PerfettoWriter(llvm::raw_ostream &Out, FunctionNames &Names, double Scale)
      : Out(Out), Names(Names), Scale(Scale) {}

  void beginThread(ThreadIndex T, llvm::StringRef Name) override {
    Track = T + 1;
    Part.clear();
    Part.varint(ThreadPid, 1);
    Part.varint(ThreadTid, Track);
    Part.bytes(ThreadName, Name);
    ProtoWriter Descriptor, Packet;
    Descriptor.varint(TrackUuid, Track);
    Descriptor.message(TrackThread, Part);
    Packet.varint(PacketSequenceId, SequenceId);
    if (T == 0 || First)
      Packet.varint(PacketSequenceFlags, StateCleared);
    First = false;
    Packet.message(PacketTrackDescriptor, Descriptor);
    write(Packet);
  }

  void beginSlice(uint64_t Time, const FunctionKey &F,
                  const CallNode &N) override {
    auto [It, New] = Iids.try_emplace(F, Iids.size() + 1);
    ProtoWriter &Event = start(SliceBegin);
    Event.varint(TrackEventNameIid, It->second);
    annotate("position", N.Call.Start);
    if (N.TailCall)
      annotate("tail call", 1);
    Packet.clear();
    if (New) {
      ProtoWriter Name, Data;
      Name.varint(EventNameIid, It->second);
      Name.bytes(EventNameName, llvm::json::fixUTF8(functionLabel(Names, F)));
      Data.message(InternedEventNames, Name);
      Packet.message(PacketInternedData, Data);
    }
    finish(Time);
  }

  void endSlice(uint64_t Time) override {
    start(SliceEnd);
    Packet.clear();
    finish(Time);
  }

  void instant(uint64_t Time, llvm::StringRef Name, Position Pos) override {
    start(Instant).bytes(TrackEventName, llvm::json::fixUTF8(Name));
    annotate("position", Pos);
    Packet.clear();
    finish(Time);
  }

private:
  ProtoWriter &start(uint64_t Type) {
    Event.clear();
    Event.varint(TrackEventType, Type);
    Event.varint(TrackEventTrackUuid, Track);
    return Event;
  }
  void annotate(llvm::StringRef Name, uint64_t Value) {
    Part.clear();
    Part.bytes(AnnotationName, Name);
    Part.varint(AnnotationUint, Value);
    Event.message(TrackEventDebugAnnotation, Part);
  }
  void finish(uint64_t Time) {
    Packet.varint(PacketTimestamp,
                  Scale == 1 ? Time : uint64_t(double(Time) * Scale));
    Packet.varint(PacketSequenceId, SequenceId);
    Packet.varint(PacketSequenceFlags, NeedsState);
    Packet.message(PacketTrackEvent, Event);
    write(Packet);
  }
  void write(const ProtoWriter &P) {
    Whole.clear();
    Whole.message(TracePacket, P);
    Out << Whole.data();
  }

  llvm::raw_ostream &Out;
  FunctionNames &Names;
  double Scale;
  bool First = true;
  uint64_t Track = 0;
  std::map<FunctionKey, uint64_t> Iids;
  ProtoWriter Event, Part, Packet, Whole;
};

} // namespace

llvm::Error exportPerfetto(const CallQuery &Q, llvm::StringRef Title,
                           llvm::raw_ostream &Out) {
  // The process that the threads belong to.
  ProtoWriter Process, Descriptor, Packet, Whole;
  Process.varint(ProcessPid, 1);
  Process.bytes(ProcessName, llvm::json::fixUTF8(Title));
  Descriptor.varint(TrackUuid, ~uint64_t(0));
  Descriptor.message(TrackProcess, Process);
  Packet.varint(PacketSequenceId, SequenceId);
  Packet.message(PacketTrackDescriptor, Descriptor);
  Whole.message(TracePacket, Packet);
  Out << Whole.data();
  PerfettoWriter Writer(
      Out, Q.Names, nanosecondsPerUnit(Q.Store.header().TimeUnit).value_or(1));
  return writeTimeline(Q, Writer);
}

} // namespace rw
