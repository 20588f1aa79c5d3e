//===- PerfettoTrace.h - Perfetto's trace.proto -----------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_PERFETTOTRACE_H
#define REWIND_EXPORT_PERFETTOTRACE_H

#include "core/export/ProtoWriter.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace rw {

/// Writes tracks, and slices and instants on them, as packets of one sequence.
/// Strings are written once: memory grows with the different ones.
class PerfettoTrace {
public:
  enum class EventType : uint8_t { Begin = 1, End = 2, Instant = 3 };

  /// \p Scale: nanoseconds per unit of time.
  PerfettoTrace(llvm::raw_ostream &Out, double Scale)
      : Out(Out), Scale(Scale) {}

  // Tracks; each has a number of its own, not 0.
  void process(uint64_t Track, uint64_t Pid, llvm::StringRef Name);
  void thread(uint64_t Track, uint64_t Pid, uint64_t Tid, llvm::StringRef Name);
  /// A track for the tracks in it.
  void group(uint64_t Track, llvm::StringRef Name);
  /// A track in a group; the one with the lowest \p Rank comes first.
  void track(uint64_t Track, uint64_t Group, llvm::StringRef Name,
             int64_t Rank);

  /// Number of a name, for event().
  uint64_t name(llvm::StringRef Name) {
    return intern(Names, EventNames, Name);
  }
  /// Begins an event, which annotate() adds to and finish() writes. Times must
  /// not fall on a track. An end needs no name.
  void event(EventType Type, uint64_t Track, uint64_t Time, uint64_t Name = 0,
             llvm::StringRef Category = {});
  void annotate(llvm::StringRef Key, uint64_t Value);
  void annotate(llvm::StringRef Key, llvm::StringRef Value);
  void finish();

private:
  /// Fields of InternedData.
  enum Table : unsigned { Categories = 1, EventNames = 2, AnnotationNames = 3 };

  uint64_t intern(llvm::StringMap<uint64_t> &Known, Table T,
                  llvm::StringRef Text);
  void descriptor();
  void write();

  llvm::raw_ostream &Out;
  double Scale;
  bool First = true;
  llvm::StringMap<uint64_t> Names, CategoryNames, Keys;
  ProtoWriter Interned; ///< not written yet
  ProtoWriter Track, Event, Packet, Part, Whole;
};

} // namespace rw

#endif // REWIND_EXPORT_PERFETTOTRACE_H
