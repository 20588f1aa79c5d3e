//===- TraceText.h - The lines of a text trace ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_TRACETEXT_H
#define REWIND_EXPORT_TRACETEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>

namespace rw {

/// The lines of a Tarmac file, for what a store does not keep: the text of the
/// disassembly, byte offsets. Lines are read forwards; the file is mapped.
class TraceText {
public:
  /// An error if the file cannot be read or is compressed.
  static llvm::Expected<TraceText> open(llvm::StringRef Path);

  /// Line \p Number, from 1, without its end; empty beyond the last one. Cost:
  /// the distance from the line asked for before; from the beginning if that
  /// lies behind.
  llvm::StringRef line(uint64_t Number);
  /// Byte offset of the line that line() gave last.
  uint64_t offset() const { return Offset; }
  /// Line \p Number begins at \p At: no need to count from the beginning.
  void startFrom(uint64_t Number, uint64_t At) {
    Current = Number;
    Offset = At;
  }

private:
  TraceText() = default;
  std::unique_ptr<llvm::MemoryBuffer> Buffer;
  uint64_t Current = 1, Offset = 0;
};

/// The disassembly in an instruction line of any Tarmac dialect, one blank
/// between words, without comment; empty if there is none.
std::string disassemblyOf(llvm::StringRef Line);

/// The timestamp that a line begins with.
std::optional<uint64_t> timestampOf(llvm::StringRef Line);

/// The first line that tells of the trace's first instant, given the line and
/// the time of the first instruction: what precedes it at the same time belongs
/// to it for the Tarmac Trace Utilities.
uint64_t firstLineOfMoment(TraceText &Text, uint64_t Line, uint64_t Time);

} // namespace rw

#endif // REWIND_EXPORT_TRACETEXT_H
