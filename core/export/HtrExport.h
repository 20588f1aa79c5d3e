//===- HtrExport.h - HTR's layers for timeline viewers ----------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_HTREXPORT_H
#define REWIND_EXPORT_HTREXPORT_H

#include "core/htr/HtrFile.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>

namespace rw {

enum class HtrExportFormat {
  Chrome,   ///< Chrome's trace event JSON (what LLDB calls CTF)
  Perfetto, ///< perfetto's trace.proto
};

struct HtrExportOptions {
  HtrExportFormat Format = HtrExportFormat::Chrome;
  std::string Title;    ///< of the trace
  std::string TimeUnit; ///< empty: time counts instructions
  std::vector<std::string> ThreadNames;
  /// At most so many slices per layer and thread. Where there are more, short
  /// ones are left out, the shortest first.
  uint64_t MaxSlices = 100000;
  std::function<std::string(htr::BlockId)> NameOf;
  /// Time of an instruction; for the end of a thread, when its last block ends.
  std::function<llvm::Expected<uint64_t>(ThreadIndex, Position)> TimeAt;
  rw::Watch Watch;
};

/// What a track shows, and what was left out of it.
struct HtrExportTrack {
  ThreadIndex Thread = 0;
  unsigned Layer = 0;
  uint64_t Slices = 0;    ///< gaps included
  uint64_t Flat = 0;      ///< blocks that would begin and end at the same time,
                          ///< without those in them: they are not there
  uint64_t MinLength = 1; ///< blocks of fewer instructions are not there
  bool Gaps = true;       ///< false: there were too many to show
};

/// Writes each block layer of each thread as a track, the most condensed one
/// first. The slices of a track are the layer's units, with what functions and
/// the layer's own blocks are made of nested in them. A gap is a slice from the
/// time of the instruction before it to that of the one after it, or an instant
/// if that takes no time; where time counts instructions, it never does.
llvm::Expected<std::vector<HtrExportTrack>>
exportHtr(const htr::HtrFile &File, const HtrExportOptions &Options,
          llvm::raw_ostream &Out);

} // namespace rw

#endif // REWIND_EXPORT_HTREXPORT_H
