//===- ChunkSource.h - A trace cut into chunks ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_TARMAC_CHUNKSOURCE_H
#define REWIND_FORMATS_TARMAC_CHUNKSOURCE_H

#include "core/formats/InputStream.h"
#include "core/formats/tarmac/LineParser.h"

namespace rw::tarmac {

/// Cuts a stream into chunks of about ChunkBytes. A chunk begins with an
/// instruction's line, unless there is none for long; it always begins and ends
/// with whole lines. Not thread-safe.
class ChunkSource {
public:
  ChunkSource(InputStream &In, const ParserOptions &Options,
              uint64_t ChunkBytes)
      : In(In), ChunkBytes(ChunkBytes), Cutter(Options, NoNames) {}

  /// Fills \p C with the next chunk; false at the end. Fails if the file cannot
  /// be read, or has a line without end.
  llvm::Expected<bool> next(Chunk &C);

private:
  /// Where the chunk may end so that the next begins with an instruction;
  /// looks no further back than \p From. 0 if nowhere.
  size_t lastCut(const Chunk &C, size_t From);

  InputStream &In;
  const uint64_t ChunkBytes;
  SharedNames NoNames;
  LineParser Cutter;
  std::vector<char> Carry; ///< read, but belongs to the next chunk
  uint64_t Offset = 0;
  bool AtEnd = false;
};

} // namespace rw::tarmac

#endif // REWIND_FORMATS_TARMAC_CHUNKSOURCE_H
