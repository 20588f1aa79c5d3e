//===- InputStream.h - Bytes of a trace file --------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INPUTSTREAM_H
#define REWIND_FORMATS_INPUTSTREAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <memory>
#include <string>

namespace rw {

/// A file, or standard input ("-"), read once from its beginning to its end;
/// gzip, xz, zstd and bzip2 data (recognised by their magic, not the name) are
/// decompressed on the way. Plain files are read, not mapped: a file that
/// shrinks while it is read must not kill the debugger.
///
/// Not thread-safe. Errors name the file and, where data is damaged, the byte
/// offset in the compressed file.
class InputStream {
public:
  /// \p Cancel, if given, makes a read that waits for a pipe give up.
  static llvm::Expected<std::unique_ptr<InputStream>>
  open(llvm::StringRef Path, const std::atomic<bool> *Cancel = nullptr);
  ~InputStream();

  /// The first up to \p Size decompressed bytes, which read() will still
  /// deliver. Shorter only if the data is. Only before the first read().
  llvm::Expected<llvm::ArrayRef<uint8_t>> peek(size_t Size);

  /// Reads up to Out.size() bytes; fewer only at the end of the data.
  llvm::Expected<size_t> read(llvm::MutableArrayRef<char> Out);

  /// What messages call it: the path, or "<standard input>".
  llvm::StringRef name() const;
  /// How far the reading has come, in bytes of the file as it lies on disk, and
  /// how many there are (0: not known).
  uint64_t bytesDone() const;
  uint64_t bytesTotal() const;
  /// "" for plain data, else "gzip", "xz", "zstd" or "bzip2".
  llvm::StringRef compression() const;
  /// A read never waits for somebody to write.
  bool isRegular() const;
  /// A regular, uncompressed file: byte offsets can be found again.
  bool isSeekable() const;

private:
  InputStream();
  struct Impl;
  std::unique_ptr<Impl> I;
};

} // namespace rw

#endif // REWIND_FORMATS_INPUTSTREAM_H
