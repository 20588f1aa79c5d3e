//===- PerfettoTrace.cpp - Perfetto's trace.proto -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/export/PerfettoTrace.h"
#include "llvm/Support/JSON.h"

using llvm::json::fixUTF8;

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
  InternedIid = 1,
  InternedText = 2,
  EventAnnotation = 4,
  EventCategoryIids = 3,
  EventType_ = 9,
  EventNameIid = 10,
  EventTrack = 11,
  AnnotationNameIid = 1,
  AnnotationUint = 3,
  AnnotationString = 6,
  TrackUuid = 1,
  TrackName = 2,
  TrackProcess = 3,
  TrackThread = 4,
  TrackParent = 5,
  TrackChildOrdering = 11,
  TrackRank = 12,
  ProcessPid = 1,
  ProcessName = 6,
  ThreadPid = 1,
  ThreadTid = 2,
  ThreadName = 5,
};
enum : uint64_t {
  Explicit = 3,
  StateCleared = 1,
  NeedsState = 2,
  SequenceId = 1,
};

} // namespace

uint64_t PerfettoTrace::intern(llvm::StringMap<uint64_t> &Known, Table T,
                               llvm::StringRef Text) {
  auto [It, New] = Known.try_emplace(Text, Known.size() + 1);
  if (New) {
    ProtoWriter Entry;
    Entry.varint(InternedIid, It->second);
    Entry.bytes(InternedText, fixUTF8(Text));
    Interned.message(T, Entry);
  }
  return It->second;
}

void PerfettoTrace::process(uint64_t Uuid, uint64_t Pid, llvm::StringRef Name) {
  Part.clear();
  Part.varint(ProcessPid, Pid);
  Part.bytes(ProcessName, fixUTF8(Name));
  Track.clear();
  Track.varint(TrackUuid, Uuid);
  Track.message(TrackProcess, Part);
  descriptor();
}

void PerfettoTrace::thread(uint64_t Uuid, uint64_t Pid, uint64_t Tid,
                           llvm::StringRef Name) {
  Part.clear();
  Part.varint(ThreadPid, Pid);
  Part.varint(ThreadTid, Tid);
  Part.bytes(ThreadName, fixUTF8(Name));
  Track.clear();
  Track.varint(TrackUuid, Uuid);
  Track.message(TrackThread, Part);
  descriptor();
}

void PerfettoTrace::group(uint64_t Uuid, llvm::StringRef Name) {
  Track.clear();
  Track.varint(TrackUuid, Uuid);
  Track.bytes(TrackName, fixUTF8(Name));
  Track.varint(TrackChildOrdering, Explicit);
  descriptor();
}

void PerfettoTrace::track(uint64_t Uuid, uint64_t Group, llvm::StringRef Name,
                          int64_t Rank) {
  Track.clear();
  Track.varint(TrackUuid, Uuid);
  Track.varint(TrackParent, Group);
  Track.bytes(TrackName, fixUTF8(Name));
  Track.varint(TrackRank, uint64_t(Rank));
  descriptor();
}

void PerfettoTrace::descriptor() {
  Packet.clear();
  Packet.varint(PacketSequenceId, SequenceId);
  if (First)
    Packet.varint(PacketSequenceFlags, StateCleared);
  First = false;
  Packet.message(PacketTrackDescriptor, Track);
  write();
}

void PerfettoTrace::event(EventType Type, uint64_t Uuid, uint64_t Time,
                          uint64_t Name, llvm::StringRef Category) {
  Event.clear();
  Event.varint(EventType_, uint64_t(Type));
  Event.varint(EventTrack, Uuid);
  if (Name)
    Event.varint(EventNameIid, Name);
  if (!Category.empty())
    Event.varint(EventCategoryIids,
                 intern(CategoryNames, Categories, Category));
  Packet.clear();
  Packet.varint(PacketTimestamp,
                Scale == 1 ? Time : uint64_t(double(Time) * Scale));
  Packet.varint(PacketSequenceId, SequenceId);
  Packet.varint(PacketSequenceFlags, NeedsState);
}

void PerfettoTrace::annotate(llvm::StringRef Key, uint64_t Value) {
  Part.clear();
  Part.varint(AnnotationNameIid, intern(Keys, AnnotationNames, Key));
  Part.varint(AnnotationUint, Value);
  Event.message(EventAnnotation, Part);
}

void PerfettoTrace::annotate(llvm::StringRef Key, llvm::StringRef Value) {
  Part.clear();
  Part.varint(AnnotationNameIid, intern(Keys, AnnotationNames, Key));
  Part.bytes(AnnotationString, Value);
  Event.message(EventAnnotation, Part);
}

void PerfettoTrace::finish() {
  if (!Interned.data().empty())
    Packet.message(PacketInternedData, Interned);
  Interned.clear();
  Packet.message(PacketTrackEvent, Event);
  write();
}

void PerfettoTrace::write() {
  Whole.clear();
  Whole.message(TracePacket, Packet);
  Out << Whole.data();
}

} // namespace rw
