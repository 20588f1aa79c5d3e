//===- Gzip.h - Compressed output -------------------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_EXPORT_GZIP_H
#define REWIND_EXPORT_GZIP_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <zlib.h>

namespace rw {

/// Compresses what is written, gzip format.
class GzipStream {
public:
  explicit GzipStream(llvm::raw_ostream &Out) : Out(Out) {
    Good = deflateInit2(&Z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                        Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~GzipStream() { deflateEnd(&Z); }
  GzipStream(const GzipStream &) = delete;
  GzipStream &operator=(const GzipStream &) = delete;

  bool write(llvm::StringRef Bytes, bool Last = false) {
    Z.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(Bytes.data()));
    Z.avail_in = uInt(Bytes.size());
    char Buffer[1 << 15];
    do {
      Z.next_out = reinterpret_cast<Bytef *>(Buffer);
      Z.avail_out = sizeof(Buffer);
      if (!Good || deflate(&Z, Last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
        return Good = false;
      Out.write(Buffer, sizeof(Buffer) - Z.avail_out);
    } while (Z.avail_out == 0);
    return true;
  }

private:
  llvm::raw_ostream &Out;
  z_stream Z = {};
  bool Good = false;
};

/// What is in a gzip file, which may be several after each other. An Error if
/// it is damaged or cut off, or more than fits the memory of most machines.
llvm::Expected<std::string> gunzip(llvm::StringRef Bytes);

} // namespace rw

#endif // REWIND_EXPORT_GZIP_H
