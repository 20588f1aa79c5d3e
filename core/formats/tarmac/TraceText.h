//===- TraceText.h - The lines of a text trace ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_TRACETEXT_H
#define REWIND_FORMATS_TARMAC_TRACETEXT_H

#include "core/formats/InputStream.h"
#include <optional>
#include <vector>

namespace rw {

/// The lines of a Tarmac file, for what a store does not keep: the text of the
/// disassembly, byte offsets. Read forwards; compressed files will do.
class TraceText {
public:
  static llvm::Expected<TraceText>
  open(llvm::StringRef Path, const std::atomic<bool> *Cancel = nullptr);

  /// Line \p Number, from 1, without its end; empty beyond the last one. Valid
  /// until the next call. Cost: the distance from the line asked for before, or
  /// from the beginning of the file if that lies behind.
  llvm::Expected<llvm::StringRef> line(uint64_t Number);
  /// Whether the line that was asked for last lies beyond the end.
  bool atEnd() const { return AtEnd && At == Filled; }
  /// Byte offset, in the decompressed text, of the line that line() gave.
  uint64_t offset() const { return BufferOffset + At; }

private:
  TraceText() = default;
  llvm::Error fill();
  /// Bytes to the end of the current line, its end included; 0 at the end.
  llvm::Expected<size_t> length();

  std::string Path;
  const std::atomic<bool> *Cancel = nullptr;
  std::unique_ptr<InputStream> Stream;
  std::vector<char> Buffer;
  uint64_t BufferOffset = 0; ///< of Buffer[0] in the text
  size_t At = 0, Filled = 0;
  uint64_t Current = 1;
  bool AtEnd = false;
};

/// The disassembly in an instruction line of any Tarmac dialect, one blank
/// between words, without comment; empty if there is none.
std::string disassemblyOf(llvm::StringRef Line);

/// The timestamp that a line begins with.
std::optional<uint64_t> timestampOf(llvm::StringRef Line);

/// The first line that tells of the trace's first instant, given the line and
/// the time of the first instruction: what precedes it at the same time belongs
/// to it for the Tarmac Trace Utilities.
llvm::Expected<uint64_t> firstLineOfMoment(TraceText &Text, uint64_t Line,
                                           uint64_t Time);

} // namespace rw

#endif // REWIND_FORMATS_TARMAC_TRACETEXT_H
